-- The documents that hold these numbers for a company now. A production document comes before one of another environment.
create or replace function holders_of(tenant uuid, encfs text[]) returns table (encf text, doc_id uuid) language plpgsql stable rows 5 as $$
#variable_conflict use_column
begin
	return query select distinct on (n.name) n.name, n.doc_id from names n
	where n.tenant_id = tenant and n.kind = any(number_kinds(tenant)) and n.name = any(encfs)
	order by n.name, n.kind <> 'p';
end $$;
