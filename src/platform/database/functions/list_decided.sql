-- A tenant's decided documents of one environment by issue date, read one by one. Amounts are in cents, negative for credit notes. The range of ids
-- spares the verdicts of other times. It is read from the index alone, so it is that of all environments. Without nested loops, since the statistics
-- have none of the newest rows: for one row that is expected, all verdicts would be read again for each of the documents.
create or replace function list_decided(of_tenant uuid, of_environment "char", first_day date, last_day date) returns table (
	doc_id uuid, day date, type smallint, status "char", branch text, customer_rnc text, subtotal bigint, tax bigint, sha256 bytea
) language plpgsql stable set plan_cache_mode = 'force_custom_plan' set work_mem = '64MB' set enable_nestloop = off as $$
#variable_conflict use_column
declare
	ids constant uuid[] := array(
		select d.doc_id from documents d
		where d.tenant_id = of_tenant and d.issue_date between first_day and last_day order by d.doc_id
	);
	oldest constant uuid := ids[1];
	newest constant uuid := ids[cardinality(ids)];
begin
	return query select d.doc_id, d.issue_date, d.type, coalesce(v.status, o.status), coalesce(d.branch, ''), coalesce(d.customer_rnc, ''),
		case d.type when 34 then -d.subtotal else d.subtotal end, case d.type when 34 then -d.tax else d.tax end, d.sha256
	from documents d
	left join verdicts v on v.tenant_id = of_tenant and v.doc_id = d.doc_id and v.doc_id between oldest and newest
	left join open_documents o on o.tenant_id = of_tenant and o.doc_id = d.doc_id and o.status = 'f'
	where d.tenant_id = of_tenant and d.doc_id between oldest and newest and d.issue_date between first_day and last_day
		and d.environment = of_environment and d.test_set_id is null and (v.status is not null or o.status is not null);
end $$;
