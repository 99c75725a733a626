-- Links each tenant's leaves one after another and writes all rows in one statement: a statement per leaf costs twice as much.
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
