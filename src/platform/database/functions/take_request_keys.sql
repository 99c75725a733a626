-- Takes idempotency keys for answers. Returns the places in these lists of the keys that were free; the others belong to requests of the
-- last 24 hours. Waits for equal keys of open transactions. In a slot's first minute the slot before is written first: a request that took its
-- time there has not been seen.
create or replace function take_request_keys(
	scope_ids uuid[], operations text[], keys uuid[], raw_digests text[], payload_digests text[], doc_ids uuid[], answers text[], headings json[]
) returns bigint[] language plpgsql set plan_cache_mode = 'force_generic_plan' as $$
declare
	slots smallint[] := array[request_slot(now())];
	taken bigint[];
begin
	if request_slot(now() - interval '1 minute') <> slots[1] then
		slots := request_slot(now() - interval '1 minute') || slots;
	end if;
	with saved as (
		insert into request_keys as k (scope_id, key, operation, slot, raw_digest, payload_digest, doc_id, answer, headers)
		select g.scope_id, g.key, g.operation, s.slot, decode(g.raw, 'hex'), decode(g.payload, 'hex'), g.doc_id, g.answer, g.headers
		from unnest(scope_ids, keys, operations, raw_digests, payload_digests, doc_ids, answers, headings)
			g (scope_id, key, operation, raw, payload, doc_id, answer, headers),
			unnest(slots) with ordinality s (slot, place)
		where not exists (
			select from request_keys o
			where o.scope_id = g.scope_id /*citus and o.scope_id = any(scope_ids)*/ and o.key = g.key and o.operation = g.operation and o.slot <> all(slots)
				and o.created_at > now() - interval '24 hours'
		)
		order by g.scope_id, g.key, g.operation, s.place
		on conflict (scope_id, key, operation, slot) do update
		set raw_digest = excluded.raw_digest, payload_digest = excluded.payload_digest, doc_id = excluded.doc_id, answer = excluded.answer,
			headers = excluded.headers, created_at = excluded.created_at
		where k.created_at <= now() - interval '24 hours'
		returning k.scope_id, k.key, k.operation
	)
	select coalesce(array_agg(g.n), '{}') into taken
	from unnest(scope_ids, keys, operations) with ordinality g (scope_id, key, operation, n)
	where (select count(*) from saved s where s.scope_id = g.scope_id and s.key = g.key and s.operation = g.operation) = cardinality(slots);
	if cardinality(slots) > 1 and cardinality(taken) < cardinality(keys) then
		-- What was free in one slot alone.
		delete from request_keys k using unnest(scope_ids, keys, operations) with ordinality g (scope_id, key, operation, n)
		where k.scope_id = g.scope_id /*citus and k.scope_id = any(scope_ids)*/ and k.key = g.key and k.operation = g.operation and k.created_at = now() and g.n <> all(taken);
	end if;
	return taken;
end $$;
