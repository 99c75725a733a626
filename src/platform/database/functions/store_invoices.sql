-- Stores the signed invoices of one batch. `texts` holds eight texts of each invoice, cut at `marks`; the last one is its sums.
-- Behind them are the facts of each invoice.
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
	-- Whose company moves now, and who was made for the environment that it has left.
	moving uuid[] := '{}';
	moved uuid[] := '{}';
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
			is_locked := pg_try_advisory_xact_lock_shared(7301012, hashtext(wanted_tenant::text));
			if not is_locked then
				is_locked := pg_try_advisory_xact_lock_shared(7301041, hashtext(wanted_tenant::text));
				if is_locked then
					is_locked := pg_advisory_xact_lock_shared(7301012, hashtext(wanted_tenant::text)) is not null;
				else
					moving := moving || wanted_tenant;
				end if;
			end if;
			locked := wanted_tenant;
		end if;
	end loop;
	select coalesce(array_agg(g.doc_id), '{}') into voided
	from unnest(doc_ids, tenant_ids, types, encfs) g(doc_id, tenant_id, type, encf)
	join sequence_voids v on v.tenant_id = g.tenant_id and v.type = g.type
		and v.numbers @> substr(g.encf, 4)::bigint and v.elsewhere is null and v.status not in ('rejected', 'failed');
	select coalesce(array_agg(g.doc_id), '{}') into moved
	from (
		select u.doc_id, u.tenant_id, convert_from(cut_text(bulk, marks, 8 * u.n - 5), 'UTF8') as print
		from unnest(doc_ids, tenant_ids) with ordinality u(doc_id, tenant_id, n)
	) g
	where g.tenant_id = any(moving) or strpos(g.print, (
		select case c.authority_environment when 'test' then '/testecf' when 'certification' then '/certecf' else '/ecf' end || '/ConsultaTimbre'
		from companies c where c.tenant_id = g.tenant_id limit 1
	)) = 0 and strpos(g.print, '/ConsultaTimbre') > 0;
	if array_remove(hold_ids, null) <> '{}' then
		select coalesce(array_agg(h.id), '{}') into held
		from (
			select id from sequence_holds
			where tenant_id = any(tenant_ids) and id = any(hold_ids) and tenant_id <> all(moving) order by id for update
		) h;
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
		where g.doc_id = any(owners) and g.doc_id <> all(voided) and g.doc_id <> all(moved) and (g.hold_id is null or g.hold_id = any(held))
		on conflict do nothing
		returning doc_id
	)
	select coalesce(array_agg(i.doc_id), '{}') into stored from inserted i;

	with documents as (
		insert into signed_documents (tenant_id, doc_id, kind, bytes, sha256)
		select g.tenant_id, g.doc_id, d.kind, cut_text(bulk, marks, 8 * g.n + d.place), decode(d.digest, 'hex')
		from unnest(tenant_ids, doc_ids, ecf_digests, summary_digests) with ordinality g(tenant_id, doc_id, ecf, summary, n),
			lateral (values ('ecf', g.ecf, -2), ('summary', g.summary, -1)) d(kind, digest, place)
		where d.digest is not null and g.doc_id = any(stored)
	), facts as (
		insert into invoice_facts (
			doc_id, tenant_id, received_at, issue_date, encf, client_request_id, customer_rnc, customer_name, currency,
			subtotal, tax, grand_total, total
		)
		select g.doc_id, g.tenant_id, g.received_at, f."issueDate", g.encf, g.client_id, f."customerRnc", f."customerName", f.currency,
			f.subtotal, f.tax, f."grandTotal", f.total
		from unnest(doc_ids, tenant_ids, encfs, client_ids, received_ats)
			with ordinality g(doc_id, tenant_id, encf, client_id, received_at, n),
			json_to_record(convert_from(cut_text(bulk, marks, 8 * wanted + g.n), 'UTF8')::json) f("issueDate" date, "customerRnc" text,
				"customerName" text, currency text, subtotal numeric, tax numeric, "grandTotal" numeric, total numeric)
		where g.doc_id = any(stored)
	)
	insert into outbox (id, kind, tenant_id, subject)
	select g.id, 'invoice.submit', g.tenant_id, g.doc_id
	from unnest(message_ids, tenant_ids, doc_ids) g(id, tenant_id, doc_id) where g.doc_id = any(stored);
	if array_remove(scenarios, null) <> '{}' then
		insert into sandbox_scenarios (tenant_id, doc_id, scenario)
		select g.tenant_id, g.doc_id, g.scenario::json from unnest(tenant_ids, doc_ids, scenarios) g(tenant_id, doc_id, scenario)
		where g.scenario is not null and g.doc_id = any(stored);
	end if;
	if held <> '{}' then
		delete from sequence_holds h using unnest(tenant_ids, hold_ids, doc_ids) g(tenant_id, id, doc_id)
		where h.tenant_id = g.tenant_id and h.id = g.id and g.doc_id = any(stored);
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
			when g.doc_id = any(moved) then 'company-moved'
			when g.hold_id is not null and g.hold_id <> all(held) then 'number-lost'
			else 'collision'
		end
		from unnest(doc_ids, hold_ids) with ordinality g(doc_id, hold_id, n) order by g.n
	);
end $$;
