-- Reports are of one environment of the authority: what a company tried out in the month in which it went live is nothing that it declares taxes by.
--
--     report_documents ──rows──▶ report_sums, report_customer_sums, report_customer_months, report_days      each by environment
--
-- A document is of the environment whose address its QR prints: that is where it goes, wherever its company has moved since.
--
-- Which one that is of each document is read first, while everybody works. Then whoever issues, decides or reads a report waits: the environment that most
-- documents are of is written into no row, days of which documents are of another one are added up again, and the keys are made anew: some 100,000 documents
-- a second, half as many where every company has been in two. Invoices are read meanwhile.
set local statement_timeout = 0;
-- Whoever waits does so for sorting.
set local work_mem = '128MB';
set local maintenance_work_mem = '256MB';

-- Null of an address that names none. Written so that it becomes part of the statement that asks: searches of a short text, and no call.
create function environment_printed(print json) returns text language sql stable as $$
	select case
		when strpos(print::text, '/ecf/ConsultaTimbre') > 0 then 'production'
		when strpos(print::text, '/testecf/ConsultaTimbre') > 0 then 'test'
		when strpos(print::text, '/certecf/ConsultaTimbre') > 0 then 'certification'
	end
$$;

-- Tables that go at the end, and none that are temporary: the right to make those may have been taken from everybody but the database's owner.
-- The days before the documents: one that changes between the two is looked at again.
create unlogged table report_days_seen as select tenant_id, day, changes from report_days;
create unlogged table report_told as
select d.doc_id, coalesce(environment_printed(i.print), c.authority_environment) as environment
from report_documents d join invoices i using (doc_id) join companies c on c.tenant_id = i.tenant_id;
create index on report_told (doc_id);
analyze report_days_seen;
analyze report_told;

-- Whoever decides is waited for before anything else: a verdict that had begun would go on by the functions as they were. Then whoever reads, in the order
-- in which they take these tables.
lock table invoices in share row exclusive mode;
lock table report_days, report_customer_months, report_customer_sums, report_sums, report_documents in access exclusive mode;

insert into report_told
select d.doc_id, coalesce(environment_printed(i.print), c.authority_environment)
from report_days r
join report_documents d using (tenant_id, day) join invoices i using (doc_id) join companies c on c.tenant_id = i.tenant_id
where not exists (select from report_days_seen s where (s.tenant_id, s.day, s.changes) = (r.tenant_id, r.day, r.changes))
	and not exists (select from report_told t where t.doc_id = d.doc_id);

-- A default that rows have already is none that the table is written for.
do $$
declare
	most text := coalesce((select t.environment from report_told t group by 1 order by count(*) desc, 1 limit 1), 'test');
	one text;
begin
	foreach one in array array['report_documents', 'report_sums', 'report_customer_sums', 'report_customer_months', 'report_days'] loop
		execute format('alter table %I add column authority_environment text not null default %L', one, most);
		execute format('alter table %I alter column authority_environment drop default', one);
	end loop;
end $$;
alter table report_documents add check (authority_environment in ('test', 'certification', 'production'));
alter table report_sums drop constraint report_sums_pkey;
alter table report_customer_sums drop constraint report_customer_sums_pkey;
alter table report_customer_months drop constraint report_customer_months_pkey;
alter table report_days drop constraint report_days_pkey;

create unlogged table report_odd_days as
with odd as (
	update report_documents d set authority_environment = t.environment
	from report_told t where t.doc_id = d.doc_id and t.environment <> d.authority_environment
	returning d.tenant_id, d.day
)
select distinct tenant_id, day from odd;
analyze report_odd_days;

delete from report_sums r using report_odd_days o where (r.tenant_id, r.day) = (o.tenant_id, o.day);
insert into report_sums (tenant_id, authority_environment, day, type, status, branch, count, subtotal, tax)
select d.tenant_id, d.authority_environment, d.day, d.type, d.status, d.branch, count(*), sum(d.subtotal), sum(d.tax)
from report_documents d join report_odd_days o using (tenant_id, day) group by 1, 2, 3, 4, 5, 6 order by 1, 2, 3, 4, 5, 6;

delete from report_customer_sums r using report_odd_days o where (r.tenant_id, r.day) = (o.tenant_id, o.day);
insert into report_customer_sums (tenant_id, authority_environment, day, customer_rnc, type, status, branch, count, subtotal, tax)
select d.tenant_id, d.authority_environment, d.day, d.customer_rnc, d.type, d.status, d.branch, count(*), sum(d.subtotal), sum(d.tax)
from report_documents d join report_odd_days o using (tenant_id, day) group by 1, 2, 3, 4, 5, 6, 7 order by 1, 2, 3, 4, 5, 6, 7;

create unlogged table report_odd_months as
select distinct tenant_id, date_trunc('month', day::timestamp)::date as month from report_odd_days;
delete from report_customer_months r using report_odd_months o where (r.tenant_id, r.month) = (o.tenant_id, o.month);
insert into report_customer_months (tenant_id, authority_environment, month, status, customer_rnc, count, subtotal, tax)
select r.tenant_id, r.authority_environment, o.month, s.status, r.customer_rnc, sum(r.count), sum(r.subtotal), sum(r.tax)
from report_customer_sums r
join report_odd_months o on o.tenant_id = r.tenant_id and o.month = date_trunc('month', r.day::timestamp)::date,
	lateral (values (r.status), ('')) s (status)
group by 1, 2, 3, 4, 5 having sum(r.count) <> 0 order by 1, 2, 3, 4, 5;

-- Their digests are worked out by whoever asks, or by housekeeping. A process of the version before knows a day by its count of changes alone, and one of them may be
-- working out the digest of the day as it was: no row has a count that another one of its day has, or had.
with gone as (
	delete from report_days r using report_odd_days o where (r.tenant_id, r.day) = (o.tenant_id, o.day) returning r.tenant_id, r.day, r.changes
)
insert into report_days (tenant_id, authority_environment, day, changes)
select distinct d.tenant_id, d.authority_environment, d.day, g.changes + 1 from gone g join report_documents d using (tenant_id, day);

alter table report_sums add primary key (tenant_id, authority_environment, day, type, status, branch);
alter table report_customer_sums add primary key (tenant_id, authority_environment, day, customer_rnc, type, status, branch);
alter table report_customer_months add primary key (tenant_id, authority_environment, month, status, customer_rnc);
alter table report_days add primary key (tenant_id, authority_environment, day);

-- As before, and with the environment. One whose address names none counts as its company's, as it is sent.
create or replace function report_decided() returns trigger language plpgsql as $$
begin
	-- A document that was failed and is brought back, or says something else now.
	if exists (select from stale where status <> 'pending') then
		-- Compared as sets: a company that moves changes thousands of decided documents and nothing of what reports tell, and the server, which knows no
		-- numbers of such rows, would join them as a loop in a loop.
		if not exists (select doc_id, status, test_set_id from stale except select doc_id, status, test_set_id from fresh) then
			return null;
		end if;
		delete from report_documents d
		using stale o
		join fresh n using (doc_id)
		left join lateral (
			select * from read_report_facts(o.doc_id, o.request, o.signed_at) where o.sums is null offset 0
		) f on true
		where o.status <> 'pending' and o.test_set_id is null
			and (n.status, n.test_set_id) is distinct from (o.status, o.test_set_id)
			and d.tenant_id = o.tenant_id and d.day = coalesce((o.sums ->> 'issueDate')::date, f.issue_date) and d.doc_id = o.doc_id;
	end if;
	if exists (select from fresh where status <> 'pending') then
		insert into report_documents (tenant_id, day, doc_id, type, status, branch, customer_rnc, subtotal, tax, sha256, authority_environment)
		select n.tenant_id, coalesce((n.sums ->> 'issueDate')::date, f.issue_date), n.doc_id, n.type, n.status,
			coalesce(n.sums ->> 'branch', f.branch, ''), coalesce(n.sums ->> 'customerRnc', f.customer_rnc, ''),
			s.sign * coalesce((n.sums ->> 'subtotal')::numeric, f.subtotal), s.sign * coalesce((n.sums ->> 'tax')::numeric, f.tax), d.sha256,
			coalesce(environment_printed(n.print), (select c.authority_environment from companies c where c.tenant_id = n.tenant_id))
		from fresh n
		join stale o using (doc_id)
		join signed_documents d on d.doc_id = n.doc_id and d.kind = 'ecf'
		cross join lateral (select case when n.type = '34' then -1 else 1 end as sign) s
		-- Not asked of a document that has them: hence the offset.
		left join lateral (
			select * from read_report_facts(n.doc_id, n.request, n.signed_at) where n.sums is null offset 0
		) f on true
		where n.status <> 'pending' and n.test_set_id is null
			and (n.status, n.test_set_id) is distinct from (o.status, o.test_set_id);
	end if;
	return null;
end $$;

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

-- Of one environment's documents; otherwise as before.
create function digest_report_day(of_tenant uuid, of_environment text, of_day date) returns bytea language sql stable as $$
	select sha256(convert_to(coalesce(string_agg(doc_id || ' ' || encode(sha256, 'hex') || e'\n', '' order by doc_id), ''), 'UTF8'))
	from report_documents where tenant_id = of_tenant and day = of_day and authority_environment = of_environment
$$;

-- What processes of the version before ask: of a day of several environments none, which they leave to others.
create or replace function digest_report_day(of_tenant uuid, of_day date) returns bytea language sql stable as $$
	select case when count(*) = 1 then digest_report_day(of_tenant, min(authority_environment), of_day) end
	from report_days where tenant_id = of_tenant and day = of_day
$$;

create or replace function list_reported(of_tenant uuid) returns setof report_documents language sql stable as $$
	select i.tenant_id, coalesce((i.sums ->> 'issueDate')::date, f.issue_date), i.doc_id, i.type, i.status,
		coalesce(i.sums ->> 'branch', f.branch, ''), coalesce(i.sums ->> 'customerRnc', f.customer_rnc, ''),
		s.sign * coalesce((i.sums ->> 'subtotal')::numeric, f.subtotal), s.sign * coalesce((i.sums ->> 'tax')::numeric, f.tax), d.sha256,
		coalesce(environment_printed(i.print), (select c.authority_environment from companies c where c.tenant_id = i.tenant_id))
	from invoices i
	join signed_documents d on d.doc_id = i.doc_id and d.kind = 'ecf'
	cross join lateral (select case when i.type = '34' then -1 else 1 end as sign) s
	left join lateral (
		select * from read_report_facts(i.doc_id, i.request, i.signed_at) where i.sums is null offset 0
	) f on true
	where i.status <> 'pending' and i.test_set_id is null and (of_tenant is null or i.tenant_id = of_tenant)
$$;

-- Without it the server takes each environment for a rare one, and would sort what lies in order.
analyze report_documents (authority_environment);
analyze report_sums (authority_environment);
analyze report_customer_sums (authority_environment);
analyze report_customer_months (authority_environment);
drop table report_days_seen, report_told, report_odd_days, report_odd_months;
