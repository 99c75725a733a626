-- What `report_documents` should hold. Its columns are listed, because functions are created before the tables.
create or replace function list_reported(of_tenant uuid) returns table (
	tenant_id uuid, day date, doc_id uuid, type text, status text, branch text, customer_rnc text, subtotal numeric, tax numeric, sha256 bytea,
	authority_environment text
) language sql stable as $$
	select i.tenant_id, (i.sums ->> 'issueDate')::date, i.doc_id, i.type, i.status,
		coalesce(i.sums ->> 'branch', ''), coalesce(i.sums ->> 'customerRnc', ''),
		(s.sign * (i.sums ->> 'subtotal')::numeric)::numeric(18, 2), (s.sign * (i.sums ->> 'tax')::numeric)::numeric(18, 2), d.sha256,
		coalesce(environment_printed(i.print), (select c.authority_environment from companies c where c.tenant_id = i.tenant_id))
	from invoices i
	join signed_documents d on d.tenant_id = i.tenant_id and d.doc_id = i.doc_id and d.kind = 'ecf'
	cross join lateral (select case when i.type = '34' then -1 else 1 end as sign) s
	where i.status <> 'pending' and i.test_set_id is null and (of_tenant is null or i.tenant_id = of_tenant)
$$;
