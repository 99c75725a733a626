-- The archive's proof: every object that comes into the index is a leaf of one Merkle tree (RFC 6962) and a link of its tenant's hash chain, in
-- the order of their coming. Leaves hold digests only and are never changed or deleted, not even for a wiped tenant of the public sandbox, since
-- a tree without one of its leaves has another root. What the archive holds already is appended here, some 20,000 objects a second; meanwhile
-- nothing can be archived. `version_id` is what S3 calls the version that was written: a new column without a value, no time.
alter table archive_objects add column version_id text;

create table archive_leaves (
	leaf_index bigint primary key check (leaf_index >= 0),
	tenant_id uuid not null,
	-- Which link of its tenant's chain it is, from 0.
	chain_index bigint not null check (chain_index >= 0),
	object_key text not null unique,
	doc_id uuid not null,
	sha256 bytea not null check (length(sha256) = 32),
	decided_at timestamptz not null check (decided_at = date_trunc('milliseconds', decided_at)),
	leaf_hash bytea not null check (length(leaf_hash) = 32),
	chain_hash bytea not null check (length(chain_hash) = 32),
	unique (tenant_id, chain_index)
);
create index archive_leaves_document on archive_leaves (doc_id);

-- Roots of complete subtrees of 2^level leaves, from 16 leaves on: with them a proof in a tree of millions reads a few dozen rows.
create table archive_nodes (
	level int not null check (level >= 4),
	node_index bigint not null check (node_index >= 0),
	hash bytea not null check (length(hash) = 32),
	primary key (level, node_index)
);

create function keep_archive_proof() returns trigger language plpgsql as $$
begin
	raise exception '% on % is not allowed: the archive''s proof only grows', tg_op, tg_table_name;
end $$;
create trigger archive_leaves_kept before update or delete on archive_leaves for each row execute function keep_archive_proof();
create trigger archive_leaves_never_truncated before truncate on archive_leaves for each statement execute function keep_archive_proof();
create trigger archive_nodes_kept before update or delete on archive_nodes for each row execute function keep_archive_proof();
create trigger archive_nodes_never_truncated before truncate on archive_nodes for each statement execute function keep_archive_proof();

-- Source: RFC 6962, 2.1: a leaf is hashed behind 0x00, two nodes behind 0x01.
create function archive_leaf_hash(doc_id uuid, sha256 bytea, decided_at timestamptz) returns bytea language sql immutable as $$
	select sha256('\x00'::bytea || uuid_send(doc_id) || sha256 || int8send((extract(epoch from decided_at) * 1000)::bigint))
$$;
create function archive_chain_hash(previous bytea, doc_id uuid, sha256 bytea, decided_at timestamptz) returns bytea language sql immutable as $$
	select sha256(previous || sha256 || uuid_send(doc_id) || int8send((extract(epoch from decided_at) * 1000)::bigint))
$$;

-- Root of the complete subtree whose last leaf stands before `next`, from the hashes of its 16 leaves.
create function archive_lowest_node(next bigint) returns bytea language plpgsql stable as $$
declare
	hashes bytea[];
begin
	select array_agg(leaf_hash order by leaf_index) into hashes from archive_leaves where leaf_index >= next - 16 and leaf_index < next;
	while cardinality(hashes) > 1 loop
		hashes := array(select sha256('\x01'::bytea || hashes[i] || hashes[i + 1]) from generate_series(1, cardinality(hashes), 2) i order by i);
	end loop;
	return hashes[1];
end $$;

-- Appends the leaves of objects that have none. One transaction at a time: an index is given once.
create function append_archive_leaves(object_keys text[]) returns void language plpgsql as $$
declare
	one record;
	link record;
	next bigint;
	node bigint;
	above int;
	root bytea;
begin
	perform pg_advisory_xact_lock(7301028);
	select coalesce(max(leaf_index) + 1, 0) into next from archive_leaves;
	for one in
		select o.* from archive_objects o
		where o.object_key = any(object_keys) and not exists (select 1 from archive_leaves l where l.object_key = o.object_key)
		order by o.decided_at, o.doc_id, o.object_key
	loop
		select l.chain_index, l.chain_hash into link from archive_leaves l
		where l.tenant_id = one.tenant_id order by l.chain_index desc limit 1;
		insert into archive_leaves (leaf_index, tenant_id, chain_index, object_key, doc_id, sha256, decided_at, leaf_hash, chain_hash)
		values (next, one.tenant_id, coalesce(link.chain_index + 1, 0), one.object_key, one.doc_id, one.sha256, one.decided_at,
			archive_leaf_hash(one.doc_id, one.sha256, one.decided_at),
			archive_chain_hash(coalesce(link.chain_hash, decode(repeat('00', 32), 'hex')), one.doc_id, one.sha256, one.decided_at));
		next := next + 1;
		if next % 16 = 0 then
			above := 4;
			node := next / 16;
			root := archive_lowest_node(next);
			loop
				insert into archive_nodes (level, node_index, hash) values (above, node - 1, root);
				exit when node % 2 = 1;
				select sha256('\x01'::bytea || n.hash || root) into strict root from archive_nodes n
				where n.level = above and n.node_index = node - 2;
				above := above + 1;
				node := node / 2;
			end loop;
		end if;
	end loop;
end $$;

-- Writes objects into the index with their leaves; the same object again changes nothing. Answers what now stands under each key.
create function store_archive_objects(given json) returns table (key text, digest bytea, document uuid) language plpgsql as $$
declare
	keys text[];
begin
	-- Before the index, for rows are written in the order of their leaves.
	perform pg_advisory_xact_lock(7301028);
	keys := array(select o ->> 'objectKey' from json_array_elements(given) o);
	insert into archive_objects (object_key, doc_id, tenant_id, sha256, bytes, decided_at, retain_until, version_id)
	select g."objectKey", g."docId", g."tenantId", decode(g.sha256, 'hex'), g.bytes, g."decidedAt", g."retainUntil", g."versionId"
	from json_to_recordset(given) as g("objectKey" text, "docId" uuid, "tenantId" uuid, sha256 text, bytes int,
		"decidedAt" timestamptz, "retainUntil" timestamptz, "versionId" text)
	on conflict (object_key) do nothing;
	perform append_archive_leaves(keys);
	return query select a.object_key, a.sha256, a.doc_id from archive_objects a where a.object_key = any(keys);
end $$;

do $$
declare
	keys text[];
begin
	loop
		keys := array(select o.object_key from archive_objects o
			where not exists (select 1 from archive_leaves l where l.object_key = o.object_key)
			order by o.archived_at, o.decided_at, o.doc_id limit 10000);
		exit when cardinality(keys) = 0;
		perform append_archive_leaves(keys);
	end loop;
end $$;
