create or replace function sum_report_documents() returns trigger language plpgsql as $$
declare
	sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
	if not exists (select from changed) then
		return null;
	end if;
	-- What is taken away is taken from rows that are there: those of a wiped tenant may have gone before its documents.
	insert into report_sums as r (tenant_id, authority_environment, day, type, status, branch, count, subtotal, tax)
	select * from (
		select c.tenant_id, c.authority_environment, c.day, c.type, c.status, c.branch, sign * count(*) as count, sign * sum(c.subtotal), sign * sum(c.tax)
		from changed c group by 1, 2, 3, 4, 5, 6
	) c
	where sign = 1 or exists (
		select from report_sums s
		where (s.tenant_id, s.authority_environment, s.day, s.type, s.status, s.branch)
			= (c.tenant_id, c.authority_environment, c.day, c.type, c.status, c.branch)
	)
	order by 1, 2, 3, 4, 5, 6
	on conflict (tenant_id, authority_environment, day, type, status, branch) do update
	set count = r.count + excluded.count, subtotal = r.subtotal + excluded.subtotal, tax = r.tax + excluded.tax;

	insert into report_customer_sums as r (tenant_id, authority_environment, day, customer_rnc, type, status, branch, count, subtotal, tax)
	select * from (
		select c.tenant_id, c.authority_environment, c.day, c.customer_rnc, c.type, c.status, c.branch,
			sign * count(*) as count, sign * sum(c.subtotal), sign * sum(c.tax)
		from changed c group by 1, 2, 3, 4, 5, 6, 7
	) c
	where sign = 1 or exists (
		select from report_customer_sums s
		where (s.tenant_id, s.authority_environment, s.day, s.customer_rnc, s.type, s.status, s.branch)
			= (c.tenant_id, c.authority_environment, c.day, c.customer_rnc, c.type, c.status, c.branch)
	)
	order by 1, 2, 3, 4, 5, 6, 7
	on conflict (tenant_id, authority_environment, day, customer_rnc, type, status, branch) do update
	set count = r.count + excluded.count, subtotal = r.subtotal + excluded.subtotal, tax = r.tax + excluded.tax;

	insert into report_customer_months as r (tenant_id, authority_environment, month, status, customer_rnc, count, subtotal, tax)
	select * from (
		select c.tenant_id, c.authority_environment, date_trunc('month', c.day::timestamp)::date as month, s.status, c.customer_rnc,
			sign * count(*) as count, sign * sum(c.subtotal), sign * sum(c.tax)
		from changed c, lateral (values (c.status), ('')) s (status) group by 1, 2, 3, 4, 5
	) c
	where sign = 1 or exists (
		select from report_customer_months s
		where (s.tenant_id, s.authority_environment, s.month, s.status, s.customer_rnc)
			= (c.tenant_id, c.authority_environment, c.month, c.status, c.customer_rnc)
	)
	order by 1, 2, 3, 4, 5
	on conflict (tenant_id, authority_environment, month, status, customer_rnc) do update
	set count = r.count + excluded.count, subtotal = r.subtotal + excluded.subtotal, tax = r.tax + excluded.tax;

	insert into report_days as r (tenant_id, authority_environment, day, changes)
	select c.*, 1 + coalesce((
		select max(o.changes) from report_days o
		where o.tenant_id = c.tenant_id and o.authority_environment in ('test', 'certification', 'production') and o.day = c.day
	), 0)
	from (select c.tenant_id, c.authority_environment, c.day from changed c group by 1, 2, 3) c
	where sign = 1 or exists (
		select from report_days s where (s.tenant_id, s.authority_environment, s.day) = (c.tenant_id, c.authority_environment, c.day)
	)
	order by 1, 2, 3
	on conflict (tenant_id, authority_environment, day) do update set changes = r.changes + 1, digest = null;

	if sign = -1 then
		delete from report_sums r using changed c
		where (r.tenant_id, r.authority_environment, r.day, r.type, r.status, r.branch)
			= (c.tenant_id, c.authority_environment, c.day, c.type, c.status, c.branch) and r.count = 0;
		delete from report_customer_sums r using changed c
		where (r.tenant_id, r.authority_environment, r.day, r.customer_rnc, r.type, r.status, r.branch)
			= (c.tenant_id, c.authority_environment, c.day, c.customer_rnc, c.type, c.status, c.branch) and r.count = 0;
		delete from report_customer_months r using changed c
		where (r.tenant_id, r.authority_environment, r.month, r.customer_rnc)
			= (c.tenant_id, c.authority_environment, date_trunc('month', c.day::timestamp)::date, c.customer_rnc) and r.count = 0;
	end if;
	return null;
end $$;
