-- Adds sealed objects to the index, to the trees of their tenants' shards and to the tenants' chains. The same object again changes nothing. A
-- restored object names its leaf, which must be the next of its tree. Returns the given objects that the index has now. It runs with the rights
-- of its owner, since the last block of a tree and the end of a chain are replaced. The range of the documents' ids spares the partitions of other months.
create or replace function append_seals(given json) returns table (tenant uuid, document uuid, digest bytea)
language plpgsql security definer as $$
declare
	one record;
	of_tenant uuid;
	links bigint;
	hash bytea;
	ids constant uuid[] := array(select (o ->> 'docId')::uuid as id from json_array_elements(given) o order by id);
	oldest constant uuid := ids[1];
	newest constant uuid := ids[cardinality(ids)];
	-- New objects by their places in `given`, with their leaves and links.
	places bigint[] := '{}';
	leaves bigint[] := '{}';
	new_links bigint[] := '{}';
	new_hashes bytea[] := '{}';
begin
	-- In one order, so that no two batches wait for each other.
	for one in select distinct shard_of((o ->> 'tenantId')::uuid) as shard from json_array_elements(given) o order by 1 loop
		perform pg_advisory_xact_lock(7301028, one.shard);
	end loop;
	for one in
		select g.place, g.tenant_id, g.doc_id, g.sha256, g.decided_at, g.wanted, c.links, c.link_hash,
			tree.size + row_number() over (partition by g.shard order by g.wanted, g.decided_at, g.doc_id, g.sha256) - 1 as leaf
		from (
			select o.place, (o.v ->> 'tenantId')::uuid as tenant_id, (o.v ->> 'docId')::uuid as doc_id, decode(o.v ->> 'sha256', 'hex') as sha256,
				(o.v ->> 'decidedAt')::timestamptz as decided_at, (o.v ->> 'leafIndex')::bigint as wanted, shard_of((o.v ->> 'tenantId')::uuid) as shard
			from json_array_elements(given) with ordinality o (v, place)
		) g
		cross join lateral (select tree_size(a.anchor) as size from shards a where a.shard = g.shard) tree
		left join seal_chains c on c.tenant_id = g.tenant_id
		where not exists (select from seals s where s.tenant_id = g.tenant_id and s.doc_id = g.doc_id and s.sha256 = g.sha256
			and s.doc_id between oldest and newest)
		order by g.tenant_id, leaf
	loop
		if one.wanted <> one.leaf then
			raise exception 'leaf % of the archive is another one than the index has', one.wanted using errcode = 'SL032';
		end if;
		if of_tenant is distinct from one.tenant_id then
			of_tenant := one.tenant_id;
			links := coalesce(one.links, 0);
			hash := coalesce(one.link_hash, decode(repeat('00', 32), 'hex'));
		end if;
		hash := archive_chain_hash(hash, one.doc_id, one.sha256, one.decided_at);
		places := places || one.place;
		leaves := leaves || one.leaf;
		new_links := new_links || links;
		new_hashes := new_hashes || hash;
		links := links + 1;
	end loop;
	insert into seals (tenant_id, doc_id, n, shard, leaf, link, link_hash, sha256, bytes, decided_at, retain_until, removed_at, version_id,
		encf, type, status)
	select g."tenantId", g."docId",
		(select count(*) from seals s where s.tenant_id = g."tenantId" and s.doc_id = g."docId" and s.doc_id between oldest and newest)
			+ row_number() over (partition by g."tenantId", g."docId" order by a.leaf),
		shard_of(g."tenantId"), a.leaf, a.link, a.hash, decode(g.sha256, 'hex'), g.bytes, g."decidedAt", g."retainUntil",
		case when g."isRemoved" then now() end, g."versionId", g.encf, g.type, g.status
	from unnest(places, leaves, new_links, new_hashes) as a (place, leaf, link, hash)
	join rows from (json_to_recordset(given) as ("docId" uuid, "tenantId" uuid, sha256 text, bytes int, "decidedAt" timestamptz,
		"retainUntil" timestamptz, "versionId" text, encf text, type text, status text, "isRemoved" boolean)) with ordinality
		as g ("docId", "tenantId", sha256, bytes, "decidedAt", "retainUntil", "versionId", encf, type, status, "isRemoved", place)
		on g.place = a.place;
	insert into seal_chains (tenant_id, links, link_hash)
	select distinct on (t.tenant_id) t.tenant_id, a.link + 1, a.hash
	from unnest(places, new_links, new_hashes) as a (place, link, hash)
	join (select place, (v ->> 'tenantId')::uuid as tenant_id from json_array_elements(given) with ordinality o (v, place)) t on t.place = a.place
	order by t.tenant_id, a.link desc
	on conflict (tenant_id) do update set links = excluded.links, link_hash = excluded.link_hash;
	for one in
		with added as (
			select a.anchor, string_agg(archive_leaf_hash(o.doc_id, o.sha256, o.decided_at), ''::bytea order by l.leaf) as hashes
			from unnest(places, leaves) as l (place, leaf)
			join (
				select place, (v ->> 'docId')::uuid as doc_id, decode(v ->> 'sha256', 'hex') as sha256,
					(v ->> 'decidedAt')::timestamptz as decided_at, shard_of((v ->> 'tenantId')::uuid) as shard
				from json_array_elements(given) with ordinality e (v, place)
			) o on o.place = l.place
			join shards a on a.shard = o.shard
			group by a.anchor
		), grown as (
			select d.anchor, coalesce(b.block, 0) as block, coalesce(b.hashes, '') || d.hashes as hashes
			from added d left join lateral (
				select case length(t.hashes) when 512 then t.block + 1 else t.block end as block,
					case length(t.hashes) when 512 then '' else t.hashes end as hashes
				from tree_blocks t where t.anchor = d.anchor order by t.block desc limit 1
			) b on true
		), stored as (
			insert into tree_blocks (anchor, block, hashes)
			select g.anchor, g.block + i, substring(g.hashes from i * 512 + 1 for 512)
			from grown g cross join lateral generate_series(0, (length(g.hashes) - 1) / 512) i
			on conflict (anchor, block) do update set hashes = excluded.hashes
			returning anchor, block, hashes
		)
		select * from stored where length(hashes) = 512 order by anchor, block
	loop
		perform append_tree_nodes(one.anchor, one.block, one.hashes);
	end loop;
	return query
		select s.tenant_id, s.doc_id, s.sha256 from json_array_elements(given) o
		join seals s on s.tenant_id = (o ->> 'tenantId')::uuid and s.doc_id = (o ->> 'docId')::uuid and s.sha256 = decode(o ->> 'sha256', 'hex')
			and s.doc_id between oldest and newest;
end $$;
alter function append_seals set search_path = public, pg_temp;
alter function append_seals(json) set enable_seqscan = off;
