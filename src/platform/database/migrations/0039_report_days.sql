-- Totals of what is decided: one narrow row for each decided document, the sums of its day, and a mark on the day.
--
--     invoices ──status──▶ report_documents ──rows──▶ report_sums           by day, type, status and branch
--                                                     report_customer_sums  by buyer besides: as long as the documents at worst
--                                                     report_days           how often the day has changed, and its digest
--
-- Both arrows are triggers of statements, so a batch of verdicts is one statement at each, in the transaction of the verdicts, and no code
-- that moves a document can forget them. The sums are those of the narrow rows: whoever deletes such rows, as the wipe of the public sandbox
-- does, takes them out of the sums too. Rows of sums are written in the order of their keys everywhere: two transactions never wait for each other in a circle.
--
-- New tables; `invoices` gets a nullable column without a default. What is decided already is added up here, some 8,000 documents a second;
-- meanwhile nothing can be issued or decided, nor can invoices be read.
set local statement_timeout = 0;

-- What sums are made of, as the signed document says it: `issueDate`, `subtotal` (without taxes) and `tax` in pesos, `customerRnc`, `branch`. One
-- text among the others of its invoice, because five more arguments of storing cost a tenth of it. Null of documents that were stored before,
-- and of those of test sets.
alter table invoices add column sums json;
alter table invoices alter column sums set storage main, alter column sums set statistics 0;

create table report_documents (
	tenant_id uuid not null,
	-- The issue date.
	day date not null,
	doc_id uuid not null,
	type text not null,
	status text not null check (status in ('accepted', 'rejected', 'failed')),
	-- Empty without one, as an absent buyer is.
	branch text not null,
	customer_rnc text not null,
	-- Below zero of a credit note.
	subtotal numeric(18, 2) not null,
	tax numeric(18, 2) not null,
	-- Of the signed e-CF.
	sha256 bytea not null,
	primary key (tenant_id, day, doc_id)
);
create table report_sums (
	tenant_id uuid not null,
	day date not null,
	type text not null,
	status text not null,
	branch text not null,
	count bigint not null,
	subtotal numeric not null,
	tax numeric not null,
	primary key (tenant_id, day, type, status, branch)
) with (fillfactor = 60);
create table report_customer_sums (
	tenant_id uuid not null,
	day date not null,
	customer_rnc text not null,
	type text not null,
	status text not null,
	branch text not null,
	count bigint not null,
	subtotal numeric not null,
	tax numeric not null,
	primary key (tenant_id, day, customer_rnc, type, status, branch)
) with (fillfactor = 80);
create table report_days (
	tenant_id uuid not null,
	day date not null,
	-- Only ever grows.
	changes bigint not null,
	-- Of the day's documents as they were after so many changes; null until somebody asks or the day is over.
	digest bytea,
	primary key (tenant_id, day)
) with (fillfactor = 60);
create index report_days_open on report_days (day) where digest is null;

-- What a document's `sums` would say, of one that was stored before them: amounts from the signed bytes, the rest from the request.
create function read_report_facts(of_doc_id uuid, request text, signed_at timestamptz)
returns table (issue_date date, subtotal numeric, tax numeric, customer_rnc text, branch text) language plpgsql stable as $$
declare
	asked jsonb;
	head text;
	total numeric;
begin
	begin
		asked := request::jsonb;
		issue_date := asked ->> 'issue_date';
		customer_rnc := nullif(translate(asked #>> '{customer,rnc}', '- ', ''), '');
		branch := nullif(asked ->> 'branch', '');
		-- Amounts stand in the document's head and are plain digits, so a letter that is cut in two does no harm.
		select convert_from(substring(s.bytes from 1 for 8192), 'LATIN1') into head from signed_documents s
		where s.doc_id = of_doc_id and s.kind = 'ecf';
		total := nullif(split_part(split_part(head, '<MontoTotal>', 2), '<', 1), '');
		if total is not null then
			tax := coalesce(nullif(split_part(split_part(head, '<TotalITBIS>', 2), '<', 1), '')::numeric, 0)
				+ coalesce(nullif(split_part(split_part(head, '<MontoImpuestoAdicional>', 2), '<', 1), '')::numeric, 0);
			subtotal := total - tax;
		else
			tax := round((asked #>> '{totals,tax}')::numeric, 2);
			subtotal := round((asked #>> '{totals,grand_total}')::numeric, 2) - tax;
		end if;
	exception when data_exception then
		-- A text that the database cannot read says nothing; a verdict is never held up by it.
		null;
	end;
	-- Days are those of the country, four hours behind UTC.
	issue_date := coalesce(issue_date, ((signed_at at time zone 'UTC') - interval '4 hours')::date);
	subtotal := coalesce(subtotal, 0);
	tax := coalesce(tax, 0);
	return next;
end $$;

create function report_decided() returns trigger language plpgsql as $$
begin
	-- A document that was failed and is brought back, or says something else now.
	if exists (select from stale where status <> 'pending') then
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
		insert into report_documents (tenant_id, day, doc_id, type, status, branch, customer_rnc, subtotal, tax, sha256)
		select n.tenant_id, coalesce((n.sums ->> 'issueDate')::date, f.issue_date), n.doc_id, n.type, n.status,
			coalesce(n.sums ->> 'branch', f.branch, ''), coalesce(n.sums ->> 'customerRnc', f.customer_rnc, ''),
			s.sign * coalesce((n.sums ->> 'subtotal')::numeric, f.subtotal), s.sign * coalesce((n.sums ->> 'tax')::numeric, f.tax), d.sha256
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

create function sum_report_documents() returns trigger language plpgsql as $$
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
	end if;
	return null;
end $$;

-- SHA-256 over a line for each document of the day: its id, a space, the SHA-256 of its signed e-CF in hexadecimal. By id.
create function digest_report_day(of_tenant uuid, of_day date) returns bytea language sql stable as $$
	select sha256(convert_to(coalesce(string_agg(doc_id || ' ' || encode(sha256, 'hex') || e'\n', '' order by doc_id), ''), 'UTF8'))
	from report_documents where tenant_id = of_tenant and day = of_day
$$;

create trigger invoices_reported after update on invoices referencing old table as stale new table as fresh
	for each statement execute function report_decided();
create trigger report_documents_added after insert on report_documents referencing new table as changed
	for each statement execute function sum_report_documents();
create trigger report_documents_removed after delete on report_documents referencing old table as changed
	for each statement execute function sum_report_documents();

-- What all decided documents come to, from the documents themselves; one tenant's, or everybody's.
create function list_reported(of_tenant uuid) returns setof report_documents language sql stable as $$
	select i.tenant_id, coalesce((i.sums ->> 'issueDate')::date, f.issue_date), i.doc_id, i.type, i.status,
		coalesce(i.sums ->> 'branch', f.branch, ''), coalesce(i.sums ->> 'customerRnc', f.customer_rnc, ''),
		s.sign * coalesce((i.sums ->> 'subtotal')::numeric, f.subtotal), s.sign * coalesce((i.sums ->> 'tax')::numeric, f.tax), d.sha256
	from invoices i
	join signed_documents d on d.doc_id = i.doc_id and d.kind = 'ecf'
	cross join lateral (select case when i.type = '34' then -1 else 1 end as sign) s
	left join lateral (
		select * from read_report_facts(i.doc_id, i.request, i.signed_at) where i.sums is null offset 0
	) f on true
	where i.status <> 'pending' and i.test_set_id is null and (of_tenant is null or i.tenant_id = of_tenant)
$$;
insert into report_documents select * from list_reported(null);
update report_days set digest = digest_report_day(tenant_id, day);

-- The same function with the same arguments, but eight texts of each invoice: the last one is its sums.
create or replace function store_invoices(
	doc_ids uuid[], track_ids uuid[], tenant_ids uuid[], types text[], encfs text[], client_ids text[],
	signed_ats timestamptz[], received_ats timestamptz[], hold_ids uuid[], message_ids uuid[],
	ecf_digests text[], summary_digests text[], scenarios text[],
	scope_ids uuid[], operations text[], keys uuid[], raw_digests text[], key_hours int, marks int[], texts text
) returns text[] language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare
	bulk bytea := convert_to(texts, 'UTF8');
	wanted int := cardinality(doc_ids);
	-- Whose key is theirs, whose hold is there, whose number is voided, and who is stored in the end.
	owners uuid[] := doc_ids;
	held uuid[] := '{}';
	voided uuid[] := '{}';
	stored uuid[];
	wanted_tenant uuid;
	locked uuid;
	is_locked boolean;
begin
	if array_position(keys, null) is null then
		with saved as (
			insert into idempotency_keys as k (scope_id, operation, key, raw_sha256, answer, headers, doc_id)
			select g.scope_id, g.operation, g.key, decode(g.raw, 'hex'),
				convert_from(cut_text(bulk, marks, 8 * g.n - 6), 'UTF8'), jsonb_build_object('location', '/v1/invoices/' || g.doc_id),
				g.doc_id
			from unnest(scope_ids, operations, keys, raw_digests, doc_ids) with ordinality g(scope_id, operation, key, raw, doc_id, n)
			order by g.scope_id, g.operation, g.key
			on conflict (scope_id, operation, key) do update
			set raw_sha256 = excluded.raw_sha256, payload_sha256 = null, answer = excluded.answer,
				headers = excluded.headers, doc_id = excluded.doc_id, created_at = now()
			where k.created_at <= now() - make_interval(hours => key_hours)
			returning k.doc_id
		)
		select coalesce(array_agg(s.doc_id), '{}') into owners from saved s;
	end if;

	-- The class of locks in which voids wait for documents that are being stored. Taken by assignments, which need no executor.
	foreach wanted_tenant in array tenant_ids loop
		if wanted_tenant is distinct from locked then
			is_locked := pg_advisory_xact_lock_shared(7301012, hashtext(wanted_tenant::text)) is not null;
			locked := wanted_tenant;
		end if;
	end loop;
	select coalesce(array_agg(g.doc_id), '{}') into voided
	from unnest(doc_ids, tenant_ids, types, encfs) g(doc_id, tenant_id, type, encf)
	join sequence_voids v on v.tenant_id = g.tenant_id and v.type = g.type
		and v.numbers @> substr(g.encf, 4)::bigint and v.status not in ('rejected', 'failed');
	if array_remove(hold_ids, null) <> '{}' then
		select coalesce(array_agg(h.id), '{}') into held
		from (select id from sequence_holds where id = any(hold_ids) order by id for update) h;
	end if;

	with inserted as (
		insert into invoices (
			doc_id, track_id, tenant_id, type, encf, client_request_id, request, acknowledgement, print, warnings, registry,
			signed_at, received_at, sums
		)
		select g.doc_id, g.track_id, g.tenant_id, g.type, g.encf, g.client_id,
			convert_from(cut_text(bulk, marks, 8 * g.n - 7), 'UTF8'), convert_from(cut_text(bulk, marks, 8 * g.n - 6), 'UTF8'),
			convert_from(cut_text(bulk, marks, 8 * g.n - 5), 'UTF8')::json, convert_from(cut_text(bulk, marks, 8 * g.n - 4), 'UTF8')::json,
			convert_from(cut_text(bulk, marks, 8 * g.n - 3), 'UTF8')::json, g.signed_at, g.received_at,
			convert_from(cut_text(bulk, marks, 8 * g.n), 'UTF8')::json
		from unnest(doc_ids, track_ids, tenant_ids, types, encfs, client_ids, signed_ats, received_ats, hold_ids)
			with ordinality g(doc_id, track_id, tenant_id, type, encf, client_id, signed_at, received_at, hold_id, n)
		where g.doc_id = any(owners) and g.doc_id <> all(voided) and (g.hold_id is null or g.hold_id = any(held))
		on conflict do nothing
		returning doc_id
	)
	select coalesce(array_agg(i.doc_id), '{}') into stored from inserted i;

	with documents as (
		insert into signed_documents (doc_id, kind, bytes, sha256)
		select g.doc_id, d.kind, cut_text(bulk, marks, 8 * g.n + d.place), decode(d.digest, 'hex')
		from unnest(doc_ids, ecf_digests, summary_digests) with ordinality g(doc_id, ecf, summary, n),
			lateral (values ('ecf', g.ecf, -2), ('summary', g.summary, -1)) d(kind, digest, place)
		where d.digest is not null and g.doc_id = any(stored)
	)
	insert into outbox (id, kind, tenant_id, subject)
	select g.id, 'invoice.submit', g.tenant_id, g.doc_id
	from unnest(message_ids, tenant_ids, doc_ids) g(id, tenant_id, doc_id) where g.doc_id = any(stored);
	if array_remove(scenarios, null) <> '{}' then
		insert into sandbox_scenarios (doc_id, scenario)
		select g.doc_id, g.scenario::json from unnest(doc_ids, scenarios) g(doc_id, scenario)
		where g.scenario is not null and g.doc_id = any(stored);
	end if;
	if held <> '{}' then
		delete from sequence_holds h using unnest(hold_ids, doc_ids) g(id, doc_id) where h.id = g.id and g.doc_id = any(stored);
	end if;

	if cardinality(stored) = wanted then
		return array_fill('stored'::text, array[wanted]);
	end if;
	delete from idempotency_keys k using unnest(scope_ids, operations, keys, doc_ids) g(scope_id, operation, key, doc_id)
	where k.scope_id = g.scope_id and k.operation = g.operation and k.key = g.key and k.doc_id = g.doc_id and g.doc_id <> all(stored);
	return array(
		select case
			when g.doc_id = any(stored) then 'stored'
			when g.doc_id <> all(owners) then 'repeat-of-key'
			when g.hold_id is not null and g.hold_id <> all(held) then 'number-lost'
			else 'collision'
		end
		from unnest(doc_ids, hold_ids) with ordinality g(doc_id, hold_id, n) order by g.n
	);
end $$;
