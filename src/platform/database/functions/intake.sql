-- Stores the signed documents of one batch with their keys, names, papers and entries of the work log, or leaves single ones out; says what became of each.
-- `bulk` holds their papers, cut at `marks`. All transactions take keys, numbers and own ids in this order, each sorted by the caller.
create or replace function intake(
	tenant_ids uuid[], doc_ids uuid[], received_ats timestamptz[], digests text[], subtotals bigint[], taxes bigint[], issue_dates date[],
	types smallint[], environments "char"[], summaries boolean[], encfs text[], client_ids text[], customer_rncs text[], customer_names text[],
	branches text[], modified text[], shown text[], warnings text[], hold_ids uuid[],
	issuers text[], operations text[], keys uuid[], raw_digests text[], bulk bytea, marks int[]
) returns text[] language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare
	wanted int := cardinality(doc_ids);
	-- Whose key is theirs, whose hold is there, who may not be stored, and who is stored in the end.
	owners uuid[] := doc_ids;
	held uuid[] := '{}';
	refused uuid[] := '{}';
	-- Whose company moves now, and who was made for the environment that it has left.
	moving uuid[] := '{}';
	moved uuid[] := '{}';
	-- Whose company or certificate has changed since they were read, see `findIssuers`.
	outdated uuid[] := '{}';
	stored uuid[];
	named uuid[];
	wanted_tenant uuid;
	locked uuid;
	is_locked boolean;
begin
	if array_position(keys, null) is null then
		select array_agg(doc_ids[n]) into owners from unnest(take_request_keys(
			tenant_ids, operations, keys, raw_digests, array_fill(null::text, array[wanted]), doc_ids, array_fill(null::text, array[wanted]),
			array_fill(null::json, array[wanted])
		)) n;
		owners := coalesce(owners, '{}');
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
	select coalesce(array_agg(g.doc_id) filter (where g.is_moved), '{}'),
		coalesce(array_agg(g.doc_id) filter (where not g.is_moved and g.issuer <> g.found), '{}')
	into moved, outdated
	from (
		select w.doc_id, w.tenant_id = any(moving) or w.environment is distinct from c.environment as is_moved, w.issuer,
			concat_ws(' ', c.revision, s.id, s.revision) as found
		from unnest(doc_ids, tenant_ids, environments, issuers) w (doc_id, tenant_id, environment, issuer)
		left join lateral (
			select left(c.authority_environment, 1)::"char" as environment, c.revision from companies c where c.tenant_id = w.tenant_id limit 1
		) c on true
		left join lateral (
			select s.id, s.revision from signing_certificates s
			where s.tenant_id = w.tenant_id and s.id = nullif(split_part(w.issuer, ' ', 2), '')::uuid limit 1
		) s on true
	) g;
	-- Numbers that are voided, or that a production document has.
	select coalesce(array_agg(g.doc_id), '{}') into refused
	from unnest(doc_ids, tenant_ids, types, encfs, environments) g (doc_id, tenant_id, type, encf, environment)
	where exists (
		select from sequence_voids v
		where v.tenant_id = g.tenant_id /*citus and v.tenant_id = any(tenant_ids)*/ and v.type = g.type::text and v.numbers @> substr(g.encf, 4)::bigint and v.elsewhere is null
			and v.status not in ('rejected', 'failed')
	) or g.environment <> 'p' and exists (select from names n where n.tenant_id = g.tenant_id /*citus and n.tenant_id = any(tenant_ids)*/ and n.kind = 'p' and n.name = g.encf);
	if array_remove(hold_ids, null) <> '{}' then
		select coalesce(array_agg(h.id), '{}') into held
		from (
			select id from sequence_holds
			where tenant_id = any(tenant_ids) and id = any(hold_ids) and tenant_id <> all(moving) order by id for update
		) h;
	end if;

	with inserted as (
		insert into names (tenant_id, kind, name, doc_id)
		select g.tenant_id, g.environment, g.encf, g.doc_id
		from unnest(doc_ids, tenant_ids, environments, encfs, hold_ids) g (doc_id, tenant_id, environment, encf, hold_id)
		where g.doc_id = any(owners) and g.doc_id <> all(refused || moved || outdated) and (g.hold_id is null or g.hold_id = any(held))
		on conflict do nothing
		returning doc_id
	)
	select coalesce(array_agg(i.doc_id), '{}') into stored from inserted i;
	if array_remove(client_ids, null) <> '{}' then
		with inserted as (
			insert into names (tenant_id, kind, name, doc_id)
			select g.tenant_id, 'i', g.client_id, g.doc_id from unnest(doc_ids, tenant_ids, client_ids) g (doc_id, tenant_id, client_id)
			where g.client_id is not null and g.doc_id = any(stored)
			order by g.tenant_id, g.client_id
			on conflict do nothing
			returning doc_id
		)
		select coalesce(array_agg(g.doc_id), '{}') into named
		from unnest(doc_ids, client_ids) g (doc_id, client_id)
		where g.doc_id = any(stored) and (g.client_id is null or g.doc_id in (select i.doc_id from inserted i));
		if cardinality(named) < cardinality(stored) then
			delete from names n using unnest(doc_ids, tenant_ids, environments, encfs) g (doc_id, tenant_id, environment, encf)
			where n.tenant_id = g.tenant_id /*citus and n.tenant_id = any(tenant_ids)*/ and n.kind = g.environment and n.name = g.encf and n.doc_id = g.doc_id
				and g.doc_id = any(stored) and g.doc_id <> all(named);
			stored := named;
		end if;
	end if;

	insert into documents (
		tenant_id, doc_id, received_at, sha256, subtotal, tax, issue_date, type, environment, has_summary, encf, client_request_id,
		customer_rnc, customer_name, branch, modifies, shown, warnings
	)
	select g.tenant_id, g.doc_id, g.received_at, decode(g.digest, 'hex'), g.subtotal, g.tax, g.issue_date, g.type, g.environment, g.summary,
		g.encf, g.client_id, g.customer_rnc, g.customer_name, g.branch, g.modified, g.shown::json, g.warnings::json
	from unnest(tenant_ids, doc_ids, received_ats, digests, subtotals, taxes, issue_dates, types, environments, summaries, encfs, client_ids,
		customer_rncs, customer_names, branches, modified, shown, warnings)
		g (tenant_id, doc_id, received_at, digest, subtotal, tax, issue_date, type, environment, summary, encf, client_id, customer_rnc,
			customer_name, branch, modified, shown, warnings)
	where g.doc_id = any(stored);
	insert into papers (tenant_id, doc_id, body)
	select g.tenant_id, g.doc_id, cut_text(bulk, marks, g.n)
	from unnest(tenant_ids, doc_ids) with ordinality g (tenant_id, doc_id, n) where g.doc_id = any(stored);
	insert into work_log (id, shard, tenant_id, doc_ids)
	select new_log_id(), shard_of(g.tenant_id), g.tenant_id, array_agg(g.doc_id)
	from unnest(tenant_ids, doc_ids) g (tenant_id, doc_id) where g.doc_id = any(stored) group by g.tenant_id;
	if held <> '{}' then
		delete from sequence_holds h using unnest(tenant_ids, hold_ids, doc_ids) g (tenant_id, id, doc_id)
		where h.tenant_id = g.tenant_id /*citus and h.tenant_id = any(tenant_ids)*/ and h.id = g.id and g.doc_id = any(stored);
	end if;

	if cardinality(stored) = wanted then
		return array_fill('stored'::text, array[wanted]);
	end if;
	delete from request_keys k using unnest(tenant_ids, operations, keys, doc_ids) g (tenant_id, operation, key, doc_id)
	where k.scope_id = g.tenant_id /*citus and k.scope_id = any(tenant_ids)*/ and k.operation = g.operation and k.key = g.key and k.doc_id = g.doc_id and g.doc_id <> all(stored);
	return array(
		select case
			when g.doc_id = any(stored) then 'stored'
			when g.doc_id <> all(owners) then 'repeat-of-key'
			when g.doc_id = any(moved) then 'company-moved'
			when g.doc_id = any(outdated) then 'issuer-changed'
			when g.hold_id is not null and g.hold_id <> all(held) then 'number-lost'
			else 'collision'
		end
		from unnest(doc_ids, hold_ids) with ordinality g (doc_id, hold_id, n) order by g.n
	);
end $$;
