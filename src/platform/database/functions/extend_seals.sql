-- Moves the end of retention of a tenant's objects to a later time. Returns how many were extended. It runs with the rights of its owner, since the
-- service may neither update nor delete rows of the index.
create or replace function extend_seals(tenant uuid, documents uuid[], nths int[], until timestamptz) returns int
language plpgsql security definer as $$
declare
	extended int;
begin
	update seals s set retain_until = until from unnest(documents, nths) as g (document, nth)
	where s.tenant_id = tenant and s.doc_id = g.document and s.n = g.nth and s.removed_at is null and s.retain_until < until;
	get diagnostics extended = row_count;
	return extended;
end $$;
alter function extend_seals set search_path = public, pg_temp;
