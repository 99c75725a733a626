-- Leaves in an order that is given, for an index that is made again out of the archive alone: its order is the one that was signed. What
-- both ways share, the roots of complete subtrees, becomes a function of its own; new leaves are written a batch at a time. Functions: no lock, no time.
create function append_archive_leaf(next bigint, tenant uuid, key text, document uuid, digest bytea, decided timestamptz) returns void
language plpgsql as $$
declare
	link record;
begin
	select l.chain_index, l.chain_hash into link from archive_leaves l where l.tenant_id = tenant order by l.chain_index desc limit 1;
	insert into archive_leaves (leaf_index, tenant_id, chain_index, object_key, doc_id, sha256, decided_at, leaf_hash, chain_hash)
	values (next, tenant, coalesce(link.chain_index + 1, 0), key, document, digest, decided, archive_leaf_hash(document, digest, decided),
		archive_chain_hash(coalesce(link.chain_hash, decode(repeat('00', 32), 'hex')), document, digest, decided));
	perform append_archive_nodes(next + 1);
end $$;

-- The roots that are known since there are so many leaves.
create function append_archive_nodes(leaves bigint) returns void language plpgsql as $$
declare
	node bigint := leaves / 16;
	above int := 4;
	root bytea;
begin
	if leaves % 16 <> 0 then
		return;
	end if;
	root := archive_lowest_node(leaves);
	loop
		insert into archive_nodes (level, node_index, hash) values (above, node - 1, root);
		exit when node % 2 = 1;
		select sha256('\x01'::bytea || n.hash || root) into strict root from archive_nodes n
		where n.level = above and n.node_index = node - 2;
		above := above + 1;
		node := node / 2;
	end loop;
end $$;

-- Links are made one after the other for each tenant, the rows are written by one statement: one for each leaf costs twice as much.
create or replace function append_archive_leaves(object_keys text[]) returns void language plpgsql as $$
declare
	one record;
	next bigint;
	tenant uuid;
	link_index bigint;
	link_hash bytea;
	places bigint[] := '{}';
	keys text[] := '{}';
	link_indexes bigint[] := '{}';
	link_hashes bytea[] := '{}';
begin
	perform pg_advisory_xact_lock(7301028);
	select coalesce(max(leaf_index) + 1, 0) into next from archive_leaves;
	for one in
		select o.*, row_number() over (order by o.decided_at, o.doc_id, o.object_key) - 1 as place from archive_objects o
		where o.object_key = any(object_keys) and not exists (select 1 from archive_leaves l where l.object_key = o.object_key)
		order by o.tenant_id, place
	loop
		if tenant is distinct from one.tenant_id then
			tenant := one.tenant_id;
			select l.chain_index, l.chain_hash into link_index, link_hash from archive_leaves l
			where l.tenant_id = tenant order by l.chain_index desc limit 1;
			link_index := coalesce(link_index, -1);
			link_hash := coalesce(link_hash, decode(repeat('00', 32), 'hex'));
		end if;
		link_index := link_index + 1;
		link_hash := archive_chain_hash(link_hash, one.doc_id, one.sha256, one.decided_at);
		places := places || (next + one.place);
		keys := keys || one.object_key;
		link_indexes := link_indexes || link_index;
		link_hashes := link_hashes || link_hash;
	end loop;
	insert into archive_leaves (leaf_index, tenant_id, chain_index, object_key, doc_id, sha256, decided_at, leaf_hash, chain_hash)
	select g.place, o.tenant_id, g.link_index, o.object_key, o.doc_id, o.sha256, o.decided_at,
		archive_leaf_hash(o.doc_id, o.sha256, o.decided_at), g.link_hash
	from unnest(places, keys, link_indexes, link_hashes) as g (place, key, link_index, link_hash)
	join archive_objects o on o.object_key = g.key
	order by g.place;
	for leaves in next + 1 .. next + cardinality(keys) loop
		perform append_archive_nodes(leaves);
	end loop;
end $$;

-- Appends leaves at the indexes that they are given with. Those that stand there already must be the same; answers how many were new.
create function restore_archive_leaves(given json) returns int language plpgsql as $$
declare
	one record;
	next bigint;
	added int := 0;
begin
	perform pg_advisory_xact_lock(7301028);
	select coalesce(max(leaf_index) + 1, 0) into next from archive_leaves;
	for one in
		select g.* from json_to_recordset(given) as g("leafIndex" bigint, "tenantId" uuid, "chainIndex" bigint, "objectKey" text, "docId" uuid,
			sha256 text, "decidedAt" timestamptz)
		order by g."leafIndex"
	loop
		if one."leafIndex" = next then
			perform append_archive_leaf(next, one."tenantId", one."objectKey", one."docId", decode(one.sha256, 'hex'), one."decidedAt");
			next := next + 1;
			added := added + 1;
		end if;
		if not exists (
			select 1 from archive_leaves l
			where l.leaf_index = one."leafIndex" and l.tenant_id = one."tenantId" and l.object_key = one."objectKey" and l.doc_id = one."docId"
				and l.sha256 = decode(one.sha256, 'hex') and l.decided_at = one."decidedAt"
				and l.chain_index = coalesce(one."chainIndex", l.chain_index)
		) then
			raise exception 'leaf % of the archive is another one than the index has', one."leafIndex" using errcode = 'SL032';
		end if;
	end loop;
	return added;
end $$;
