-- A tenant's decided documents that no sum has: the accepted and rejected ones that are not folded yet, and the failed ones, which never are.
create or replace function list_live(of_tenant uuid) returns table (
	doc_id uuid, environment "char", day date, type smallint, status "char", branch text, customer_rnc text, subtotal bigint, tax bigint
) language sql stable as $$
	select * from list_unfolded(of_tenant, null)
	union all
	select d.doc_id, d.environment, d.issue_date, d.type, o.status, coalesce(d.branch, ''), coalesce(d.customer_rnc, ''),
		case d.type when 34 then -d.subtotal else d.subtotal end, case d.type when 34 then -d.tax else d.tax end
	from open_documents o join documents d on d.tenant_id = o.tenant_id and d.doc_id = o.doc_id
	where o.tenant_id = of_tenant and o.status = 'f' and d.test_set_id is null
$$;
