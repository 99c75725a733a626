-- Sums of a buyer's month: a report of a month by buyer reads one row for each, and adds up nothing.
--
--     report_documents ──rows──▶ report_sums, report_customer_sums, report_customer_months, report_days
--
-- What is decided already is added up here, from the days' sums; meanwhile nothing can be decided.
set local statement_timeout = 0;

create table report_customer_months (
	tenant_id uuid not null,
	-- Its first day.
	month date not null,
	-- Empty: all of them together, which is what is mostly asked for.
	status text not null,
	-- Empty without one.
	customer_rnc text not null,
	count bigint not null,
	subtotal numeric not null,
	tax numeric not null,
	primary key (tenant_id, month, status, customer_rnc)
) with (fillfactor = 80);

-- As before, and the buyers' months.
create or replace function sum_report_documents() returns trigger language plpgsql as $$
declare
	sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
	if not exists (select from changed) then
		return null;
	end if;
	-- What is taken away is taken from rows that are there: those of a wiped tenant may have gone before its documents.
	insert into report_sums as r (tenant_id, day, type, status, branch, count, subtotal, tax)
	select * from (
		select c.tenant_id, c.day, c.type, c.status, c.branch, sign * count(*) as count, sign * sum(c.subtotal), sign * sum(c.tax)
		from changed c group by 1, 2, 3, 4, 5
	) c
	where sign = 1 or exists (
		select from report_sums s where (s.tenant_id, s.day, s.type, s.status, s.branch) = (c.tenant_id, c.day, c.type, c.status, c.branch)
	)
	order by 1, 2, 3, 4, 5
	on conflict (tenant_id, day, type, status, branch) do update
	set count = r.count + excluded.count, subtotal = r.subtotal + excluded.subtotal, tax = r.tax + excluded.tax;

	insert into report_customer_sums as r (tenant_id, day, customer_rnc, type, status, branch, count, subtotal, tax)
	select * from (
		select c.tenant_id, c.day, c.customer_rnc, c.type, c.status, c.branch, sign * count(*) as count, sign * sum(c.subtotal), sign * sum(c.tax)
		from changed c group by 1, 2, 3, 4, 5, 6
	) c
	where sign = 1 or exists (
		select from report_customer_sums s
		where (s.tenant_id, s.day, s.customer_rnc, s.type, s.status, s.branch)
			= (c.tenant_id, c.day, c.customer_rnc, c.type, c.status, c.branch)
	)
	order by 1, 2, 3, 4, 5, 6
	on conflict (tenant_id, day, customer_rnc, type, status, branch) do update
	set count = r.count + excluded.count, subtotal = r.subtotal + excluded.subtotal, tax = r.tax + excluded.tax;

	insert into report_customer_months as r (tenant_id, month, status, customer_rnc, count, subtotal, tax)
	select * from (
		select c.tenant_id, date_trunc('month', c.day::timestamp)::date as month, s.status, c.customer_rnc,
			sign * count(*) as count, sign * sum(c.subtotal), sign * sum(c.tax)
		from changed c, lateral (values (c.status), ('')) s (status) group by 1, 2, 3, 4
	) c
	where sign = 1 or exists (
		select from report_customer_months s where (s.tenant_id, s.month, s.status, s.customer_rnc) = (c.tenant_id, c.month, c.status, c.customer_rnc)
	)
	order by 1, 2, 3, 4
	on conflict (tenant_id, month, status, customer_rnc) do update
	set count = r.count + excluded.count, subtotal = r.subtotal + excluded.subtotal, tax = r.tax + excluded.tax;

	insert into report_days as r (tenant_id, day, changes)
	select * from (select c.tenant_id, c.day, 1 from changed c group by 1, 2) c
	where sign = 1 or exists (select from report_days s where (s.tenant_id, s.day) = (c.tenant_id, c.day))
	order by 1, 2
	on conflict (tenant_id, day) do update set changes = r.changes + 1, digest = null;

	if sign = -1 then
		delete from report_sums r using changed c
		where (r.tenant_id, r.day, r.type, r.status, r.branch) = (c.tenant_id, c.day, c.type, c.status, c.branch) and r.count = 0;
		delete from report_customer_sums r using changed c
		where (r.tenant_id, r.day, r.customer_rnc, r.type, r.status, r.branch)
			= (c.tenant_id, c.day, c.customer_rnc, c.type, c.status, c.branch) and r.count = 0;
		delete from report_customer_months r using changed c
		where (r.tenant_id, r.month, r.customer_rnc)
			= (c.tenant_id, date_trunc('month', c.day::timestamp)::date, c.customer_rnc) and r.count = 0;
	end if;
	return null;
end $$;

lock table report_documents in share row exclusive mode;
insert into report_customer_months
select r.tenant_id, date_trunc('month', r.day::timestamp)::date, s.status, r.customer_rnc, sum(r.count), sum(r.subtotal), sum(r.tax)
from report_customer_sums r, lateral (values (r.status), ('')) s (status) group by 1, 2, 3, 4 having sum(r.count) <> 0;
