-- Index of the write-once store, its Merkle tree (RFC 6962), the tenants' hash chains, signed checkpoints, exports and
-- removals.

-- Which object holds which document, and how long it must be kept. Rows are only added. A document that failed, was
-- brought back and decided again has one object for each decision.
create table archive_objects (
	object_key text primary key,
	doc_id uuid not null,
	tenant_id uuid not null,
	sha256 bytea not null check (length(sha256) = 32),
	bytes int not null check (bytes > 0),
	decided_at timestamptz not null,
	retain_until timestamptz not null,
	archived_at timestamptz not null default now(),
	-- The version that S3 reported.
	version_id text,
	-- From the document when the object was sealed; null if the index was restored from the archive alone.
	encf text,
	type text,
	status text,
	check (retain_until > decided_at)
);
create index archive_objects_document on archive_objects (doc_id, decided_at);
-- A page of a tenant's list reads one of these three indexes. The object's key orders objects of the same instant.
create index archive_objects_listed on archive_objects (tenant_id, decided_at, object_key);
create index archive_objects_of_type on archive_objects (tenant_id, type, decided_at, object_key);
create index archive_objects_refused on archive_objects (tenant_id, status, decided_at, object_key)
	where status <> 'accepted';
-- Objects whose retention is over.
create index archive_objects_retained on archive_objects (retain_until);
create trigger archive_objects_described before insert on archive_objects
	for each row execute function describe_archive_object();
create trigger archive_objects_kept before update or delete on archive_objects
	for each row execute function keep_archive_object();
create trigger archive_objects_never_truncated before truncate on archive_objects
	for each statement execute function keep_archive_object();

-- Each object is a leaf of one tree and a link of its tenant's chain. Leaves hold digests alone and are never deleted,
-- not even those of a wiped tenant: a tree without one of its leaves has another root.
create table archive_leaves (
	leaf_index bigint primary key check (leaf_index >= 0),
	tenant_id uuid not null,
	-- The position in its tenant's chain, from 0.
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
create trigger archive_leaves_kept before update or delete on archive_leaves
	for each row execute function keep_archive_proof();
create trigger archive_leaves_never_truncated before truncate on archive_leaves
	for each statement execute function keep_archive_proof();

-- Roots of complete subtrees of 2^level leaves, from 16 leaves on. With them a proof in a tree of millions reads a few
-- dozen rows.
create table archive_nodes (
	level int not null check (level >= 4),
	node_index bigint not null check (node_index >= 0),
	hash bytea not null check (length(hash) = 32),
	primary key (level, node_index)
);
create trigger archive_nodes_kept before update or delete on archive_nodes
	for each row execute function keep_archive_proof();
create trigger archive_nodes_never_truncated before truncate on archive_nodes
	for each statement execute function keep_archive_proof();

-- The identity of this database's log, so that two archives are never confused.
create table archive_log (
	is_the_only boolean primary key default true check (is_the_only),
	log_id bytea not null check (length(log_id) = 16),
	environment text not null,
	made_at timestamptz not null
);
create trigger archive_log_kept before update or delete on archive_log
	for each row execute function keep_archive_proof();
create trigger archive_log_never_truncated before truncate on archive_log
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

-- Signed checkpoints. Each follows the one before, and none has fewer leaves.
create table archive_checkpoints (
	number bigint primary key check (number >= 1),
	size bigint not null check (size >= 0),
	root bytea not null check (length(root) = 32),
	-- SHA-256 of the note before; zeros in the first.
	previous bytea not null check (length(previous) = 32),
	made_at timestamptz not null check (made_at = date_trunc('milliseconds', made_at)),
	-- The signed note, whole.
	note text not null,
	key_name text not null references archive_keys (name),
	object_key text not null unique
);
create index archive_checkpoints_by_key on archive_checkpoints (key_name, size, number);
create index archive_checkpoints_made_at on archive_checkpoints (made_at);
create trigger archive_checkpoints_follow before insert on archive_checkpoints
	for each row execute function follow_archive_checkpoint();
create trigger archive_checkpoints_kept before update or delete on archive_checkpoints
	for each row execute function keep_archive_proof();
create trigger archive_checkpoints_never_truncated before truncate on archive_checkpoints
	for each statement execute function keep_archive_proof();

-- Exports of a tenant's documents.
create table archive_exports (
	id uuid primary key,
	tenant_id uuid not null,
	-- Days of decision, both included.
	from_day date not null,
	to_day date not null,
	format text not null check (format in ('zip', 'tar.zst')),
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
	check (to_day >= from_day),
	check (status <> 'ready' or (bytes is not null and sha256 is not null and expires_at is not null))
);
create index archive_exports_by_tenant on archive_exports (tenant_id, id);
create index archive_exports_ready on archive_exports (expires_at) where status = 'ready';

-- Objects that were removed after their retention. Their leaves and links stay.
create table archive_removals (
	object_key text primary key,
	tenant_id uuid not null,
	doc_id uuid not null,
	sha256 bytea not null,
	retain_until timestamptz not null,
	removed_at timestamptz not null default now()
);
create trigger archive_removals_once before update or delete on archive_removals
	for each row execute function refuse_change();
-- Only a removal that the rules allow can be recorded.
create trigger archive_removals_true before insert on archive_removals
	for each row execute function check_archive_removal();

-- When the time was last read, and since when it has advanced without a jump. Objects are removed only under a steady
-- clock.
create table archive_clock (
	single boolean primary key default true check (single),
	steady_since timestamptz not null,
	seen_at timestamptz not null
);
