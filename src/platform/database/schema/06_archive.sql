-- Index of the write-once store, its Merkle trees (RFC 6962), the tenants' hash chains, signed checkpoints and exports.

-- Which object holds which document, how long it must be kept, its leaf in the tree of its tenant's shard, and its link
-- of the tenant's chain. Rows are only added. A document that failed, was brought back and decided again has one row for
-- each decision. The object's key follows from the row, see `sealed_object_key`.
create table seals (
	tenant_id uuid not null,
	doc_id uuid not null,
	-- Which of the document's objects, from 1.
	n smallint not null check (n >= 1),
	shard smallint not null,
	-- The position in its shard's tree, and that in its tenant's chain, from 0.
	leaf bigint not null check (leaf >= 0),
	link bigint not null check (link >= 0),
	link_hash bytea not null check (length(link_hash) = 32),
	-- SHA-256 and size of the object. A restored row of an object that was gone before its line was written lacks the size.
	sha256 bytea not null check (length(sha256) = 32),
	bytes int check (bytes > 0),
	decided_at timestamptz not null check (decided_at = date_trunc('milliseconds', decided_at)),
	sealed_at timestamptz not null default now(),
	retain_until timestamptz,
	-- When the object was removed, after its retention or from the public sandbox. The row stays: a tree without one of its
	-- leaves has another root, and a chain without one of its links proves nothing.
	removed_at timestamptz,
	-- The version that S3 reported.
	version_id text,
	-- Of the document when it was sealed; null if the object could not be read in a restore.
	encf text,
	type text,
	status text,
	check (retain_until > decided_at),
	check (removed_at is not null or (bytes is not null and retain_until is not null)),
	primary key (tenant_id, doc_id, n)
) partition by range (doc_id);
create table seals_default partition of seals default;
create index seals_by_leaf on seals (shard, leaf);
-- The condition keeps the planner from this index where a document is looked up by its key in a partition that is new.
create index seals_by_link on seals (tenant_id, link) where link >= 0;
-- A page of a tenant's list reads this index alone; type and status are checked in it.
create index seals_listed on seals (tenant_id, decided_at, doc_id, n, type, status) where removed_at is null;
create trigger seals_kept before update or delete on seals
	for each row execute function keep_seal();
create trigger seals_never_truncated before truncate on seals
	for each statement execute function keep_seal();

-- Seals that were dropped ten years after the decision, by the month of the documents' ids: what is missing between the leaves that have a seal.
create table archive_removals (
	tenant_id uuid not null,
	-- Its first day.
	month date not null,
	shard smallint not null,
	seals bigint not null,
	-- The last time.
	removed_at timestamptz not null default now(),
	primary key (tenant_id, month)
);
create index archive_removals_of_shard on archive_removals (shard);

-- How many links a tenant's chain has, and the last one.
create table seal_chains (
	tenant_id uuid primary key,
	links bigint not null check (links >= 1),
	link_hash bytea not null check (length(link_hash) = 32)
);

-- The hashes of a tree's leaves, sixteen in a row; the last row of a tree has fewer and grows. `anchor` names the shard.
create table tree_blocks (
	anchor uuid not null,
	block bigint not null check (block >= 0),
	hashes bytea not null check (length(hashes) between 32 and 512 and length(hashes) % 32 = 0),
	primary key (anchor, block)
);
create trigger tree_blocks_kept before update or delete on tree_blocks
	for each row execute function keep_tree_block();
create trigger tree_blocks_never_truncated before truncate on tree_blocks
	for each statement execute function keep_archive_proof();

-- Roots of complete subtrees of 2^level leaves, from 16 leaves on. With them a proof in a tree of millions reads a few
-- dozen rows.
create table tree_nodes (
	anchor uuid not null,
	level int not null check (level >= 4),
	node bigint not null check (node >= 0),
	hash bytea not null check (length(hash) = 32),
	primary key (anchor, level, node)
);
create trigger tree_nodes_kept before update or delete on tree_nodes
	for each row execute function keep_archive_proof();
create trigger tree_nodes_never_truncated before truncate on tree_nodes
	for each statement execute function keep_archive_proof();

-- Keys that sign checkpoints. The newest signs; all verify for ever.
create table archive_keys (
	number int primary key check (number >= 1),
	name text not null unique,
	public_key bytea not null unique check (length(public_key) = 32),
	-- Null if only the public part came back from the archive. Such a key signs nothing.
	sealed_private_key bytea,
	-- The verifier key as it stands in the write-once store, with the signature of the key before it.
	note text not null,
	made_at timestamptz not null
);
create trigger archive_keys_kept before update or delete on archive_keys
	for each row execute function keep_archive_key();
create trigger archive_keys_never_truncated before truncate on archive_keys
	for each statement execute function keep_archive_proof();

-- Signed checkpoints. Each follows the one before, and no tree has fewer leaves in it.
create table archive_checkpoints (
	number bigint primary key check (number >= 1),
	-- The leaves of all trees, and the root over the sizes and roots of the 64 trees, in the order of their shards.
	size bigint not null check (size >= 0),
	sizes bigint[] not null check (cardinality(sizes) = 64),
	roots bytea not null check (length(roots) = 2048),
	root bytea not null check (length(root) = 32),
	-- SHA-256 of the note before; zeros in the first.
	previous bytea not null check (length(previous) = 32),
	made_at timestamptz not null check (made_at = date_trunc('milliseconds', made_at)),
	-- The signed note, whole.
	note text not null,
	key_name text not null references archive_keys (name),
	object_key text not null unique
);
create index archive_checkpoints_by_key on archive_checkpoints (key_name, number);
create index archive_checkpoints_by_size on archive_checkpoints (size, number);
create index archive_checkpoints_made_at on archive_checkpoints (made_at);
create trigger archive_checkpoints_follow before insert on archive_checkpoints
	for each row execute function follow_archive_checkpoint();
create trigger archive_checkpoints_kept before update or delete on archive_checkpoints
	for each row execute function keep_archive_proof();
create trigger archive_checkpoints_never_truncated before truncate on archive_checkpoints
	for each statement execute function keep_archive_proof();

-- Exports of a tenant's documents.
create table archive_exports (
	tenant_id uuid not null,
	id uuid not null,
	-- Days of decision, both included; with chosen documents, the days of the first and last receipt.
	from_day date not null,
	to_day date not null,
	-- The chosen documents, newest first; none any more when the export has ended. Null: all of the days.
	doc_ids uuid[],
	format text not null check (format in ('zip', 'tar.zst', 'xml', 'pdf', 'csv')),
	-- Documents of the period with a smaller leaf index are included; later ones are not.
	leaf_bound bigint not null,
	status text not null default 'queued' check (status in ('queued', 'running', 'ready', 'failed', 'expired')),
	documents int not null,
	bytes bigint,
	sha256 bytea,
	-- The link before the first document, and that of the last one.
	chain_from bytea,
	chain_to bytea,
	tree_size bigint,
	merkle_root bytea,
	failure json,
	created_at timestamptz not null,
	completed_at timestamptz,
	expires_at timestamptz,
	-- Objects that are missing because they are damaged: the first ones by name, and how many there are.
	damaged json not null default '[]',
	damaged_count int not null default 0,
	primary key (tenant_id, id),
	check (to_day >= from_day),
	check (doc_ids is not null or format in ('zip', 'tar.zst')),
	check (status <> 'ready' or (bytes is not null and sha256 is not null and expires_at is not null))
);
create index archive_exports_ready on archive_exports (expires_at) where status = 'ready';
