-- A tenant's accepted and rejected documents that its sums do not have yet: those whose event comes after the folded ones, up to one of them or, for
-- null, all. Amounts are in cents, negative for credit notes. The ids are read first, because their range spares the partitions of other months.
create or replace function list_unfolded(of_tenant uuid, upto bigint) returns table (
	doc_id uuid, environment "char", day date, type smallint, status "char", branch text, customer_rnc text, subtotal bigint, tax bigint
) language plpgsql stable set plan_cache_mode = 'force_custom_plan' set work_mem = '64MB' as $$
#variable_conflict use_column
declare
	ids constant uuid[] := array(
		select e.doc_id from heads c
		join events e on e.tenant_id = of_tenant and e.sequence > c.folded_sequence
		where c.tenant_id = of_tenant and (upto is null or e.sequence <= upto) and e.event in ('invoice.accepted', 'invoice.rejected')
		order by e.doc_id
	);
	oldest constant uuid := ids[1];
	newest constant uuid := ids[cardinality(ids)];
begin
	if cardinality(ids) = 0 then
		return;
	end if;
	return query select d.doc_id, d.environment, d.issue_date, d.type, v.status, coalesce(d.branch, ''), coalesce(d.customer_rnc, ''),
		case d.type when 34 then -d.subtotal else d.subtotal end, case d.type when 34 then -d.tax else d.tax end
	from unnest(ids) u (doc_id)
	join documents d on d.tenant_id = of_tenant and d.doc_id = u.doc_id and d.doc_id between oldest and newest
	join verdicts v on v.tenant_id = of_tenant and v.doc_id = u.doc_id and v.doc_id between oldest and newest
	where d.test_set_id is null;
end $$;
