-- A tenant's decided documents that no sum has: the accepted and rejected ones that are not folded yet, and the failed ones, which never are.
create or replace function list_live(of_tenant uuid) returns table (
	doc_id uuid, environment "char", day date, type smallint, status "char", branch text, customer_rnc text, subtotal bigint, tax bigint
) language plpgsql stable set plan_cache_mode = 'force_custom_plan' as $$
#variable_conflict use_column
declare
	ids constant uuid[] := array(
		select o.doc_id from open_documents o where o.tenant_id = of_tenant and o.status = 'f' order by o.doc_id
	);
	oldest constant uuid := ids[1];
	newest constant uuid := ids[cardinality(ids)];
begin
	return query select * from list_unfolded(of_tenant, null);
	if cardinality(ids) = 0 then
		return;
	end if;
	return query select d.doc_id, d.environment, d.issue_date, d.type, 'f'::"char", coalesce(d.branch, ''), coalesce(d.customer_rnc, ''),
		case d.type when 34 then -d.subtotal else d.subtotal end, case d.type when 34 then -d.tax else d.tax end
	from unnest(ids) u (doc_id) join documents d on d.tenant_id = of_tenant and d.doc_id = u.doc_id and d.doc_id between oldest and newest
	where d.test_set_id is null;
end $$;
