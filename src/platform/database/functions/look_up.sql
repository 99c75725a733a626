-- What is asked before invoices are signed, one row for each: the request that has the key, the version of company and certificate in force,
-- whether the number or the own id is taken, and what the registered sequences say of the number. Without a number these say nothing.
--
-- Each part is an index look-up per row: the planner neither hashes nor merges a sub-query with a limit. It plans once, because planning the
-- partitions of keys anew would cost more than all the look-ups.
--
-- On Citus it runs on the node of `anchor`, one of the tenants, which are all of one shard.
create or replace function look_up(
	anchor uuid, tenant_ids uuid[], operations text[], keys uuid[], encfs text[], client_ids text[], at timestamptz, key_hours int
) returns table (
	n int, raw_digest bytea, payload_digest bytea, answer text, headers json, doc_id uuid,
	issuer_version text, collides boolean, expires_on text, is_outside_ranges boolean
) language plpgsql stable set plan_cache_mode = 'force_generic_plan' as $$
#variable_conflict use_column
begin
	return query
	select w.n::int, k.raw_digest, k.payload_digest, k.answer, k.headers, k.doc_id,
		(
			select concat_ws(' ', c.revision, s.id, s.revision, s.not_before <= at, s.not_after >= at)
			from companies c left join lateral (
				select z.id, z.revision, z.not_before, z.not_after from signing_certificates z
				where z.tenant_id = c.tenant_id and (z.status = 'active' or (z.status = 'scheduled' and z.activate_at <= at))
				order by (z.status = 'scheduled') desc limit 1
			) s on true
			where c.tenant_id = w.tenant_id limit 1
		),
		coalesce(
			case when w.client_id is not null then
				(select true from names i where i.tenant_id = w.tenant_id /*citus and i.tenant_id = any(tenant_ids)*/ and i.kind = 'i' and i.name = w.client_id limit 1) end,
			case when w.encf is not null then
				(select true from names i where i.tenant_id = w.tenant_id /*citus and i.tenant_id = any(tenant_ids)*/ and i.kind = any(number_kinds(w.tenant_id)) and i.name = w.encf limit 1) end,
			(select true from sequence_voids v where v.tenant_id = w.tenant_id /*citus and v.tenant_id = any(tenant_ids)*/ and v.type = w.type
				and v.numbers @> w.number and v.elsewhere is null and v.status not in ('rejected', 'failed') limit 1),
			false
		),
		(
			select q.expires_on::text from sequences q
			where q.tenant_id = w.tenant_id /*citus and q.tenant_id = any(tenant_ids)*/ and q.type = w.type and q.numbers @> w.number and q.expires_on is not null limit 1
		),
		coalesce(not (select bool_or(q.numbers @> w.number) from sequences q where q.tenant_id = w.tenant_id /*citus and q.tenant_id = any(tenant_ids)*/ and q.type = w.type), false)
	from (
		select *, substr(g.encf, 2, 2) as type, substr(g.encf, 4)::bigint as number
		from unnest(tenant_ids, operations, keys, encfs, client_ids) with ordinality g (tenant_id, operation, key, encf, client_id, n)
	) w
	left join lateral (
		select k.raw_digest, k.payload_digest, k.answer, k.headers, k.doc_id from request_keys k
		where k.scope_id = w.tenant_id /*citus and k.scope_id = any(tenant_ids)*/ and k.key = w.key and k.operation = w.operation and k.created_at > now() - make_interval(hours => key_hours)
		limit 1
	) k on true;
end $$;
