-- What every wing uses: durable work, stored answers, kept keys, and the environment of the database.

-- Durable work. A message is written in the transaction of its cause. The lane that owns the tenant's shard carries it out
-- later, and removes it when it is done; `failures` counts retries alone. Ids and times are not assigned in commit order.
create table outbox (
	id uuid not null,
	kind text not null,
	tenant_id uuid not null,
	shard int not null generated always as (shard_of(tenant_id)) stored,
	-- What the message is about: a document or a delivery.
	subject uuid not null,
	payload jsonb not null default '{}',
	state text not null default 'ready' check (state in ('ready', 'dead')),
	failures int not null default 0,
	available_at timestamptz not null default now(),
	-- Until when a lane that has been carrying it out for a while has its lease. It protects nothing: see `hold_lane`.
	busy_until timestamptz,
	last_error text,
	created_at timestamptz not null default now(),
	-- When it died; null again once it is sent again.
	settled_at timestamptz,
	-- Messages of many tenants are found by their ids.
	primary key (id, tenant_id)
);
alter table outbox alter column payload set statistics 0, alter column last_error set statistics 0;
-- What has become due lately, and what is due of one tenant after another.
create index outbox_due on outbox (shard, available_at) where state = 'ready';
create index outbox_by_tenant on outbox (shard, tenant_id, available_at) where state = 'ready';
-- Dead messages by kind. The second condition keeps the planner from using this index for the dead message of one
-- subject.
create index outbox_dead on outbox (kind) where state = 'dead' and settled_at is not null;
create index outbox_subject on outbox (subject);

-- Who runs the messages: every tenant belongs to a shard, and each shard to one lane at most. A lane is one dispatch
-- thread. It keeps its lease while it lives; of a dead lane the epoch is raised first, which fences its writes.
create table lanes (
	lane uuid primary key,
	epoch int not null default 1,
	-- The process of the lane, and its thread there.
	node text not null,
	thread text not null,
	lease_until timestamptz not null,
	-- It ends, and gets no more shards.
	is_leaving boolean not null default false
);

-- `anchor` is a fixed id in the shard, for rows that belong to a shard and to no tenant. `term` grows with each owner.
create table shards (
	shard int primary key check (shard between 0 and 63),
	anchor uuid not null unique check (shard_of(anchor) = shard),
	lane uuid references lanes on delete set null,
	term int not null default 0,
	-- When it was last given up by a lane that had too many.
	released_at timestamptz not null default '-infinity',
	-- Entries of `work_log` that are older are finished.
	done_before timestamptz not null default now()
) with (fillfactor = 50);
insert into shards (shard, anchor)
select distinct on (shard_of(id)) shard_of(id), id
from (select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid as id, n from generate_series(0, 999) n) candidates
order by shard_of(id), n;

-- What was issued: one row for each tenant of a batch, written with its documents. The owner of the shard keeps them in
-- memory until they are decided and archived; a document that takes longer has a message in `outbox` instead. A new owner
-- reads what has come since `done_before`. Ids carry the time of the database, but are not assigned in commit order.
-- Partitions are days of ids; they are dropped behind `done_before`.
create table work_log (
	id uuid not null,
	shard smallint not null,
	tenant_id uuid not null,
	doc_ids uuid[] not null,
	primary key (id, tenant_id)
) partition by range (id);
create table work_log_default partition of work_log default;

-- Which request had a key, kept for 24 hours so that a repeat gets the same answer. `scope_id` is the tenant, or the key's
-- owner where an operation has no tenant yet. The unique key decides a race. There are four partitions of twelve hours,
-- emptied in turn; in a slot's first minute a key goes into the one before as well, where a race with it is decided.
create table request_keys (
	scope_id uuid not null,
	key uuid not null,
	operation text not null,
	slot smallint not null check (slot between 0 and 3),
	-- SHA-256 of the request's bytes, and of what they mean. The latter is null for a document, whose papers have the request.
	raw_digest bytea not null,
	payload_digest bytea,
	doc_id uuid,
	-- Null for the answer among the document's papers.
	answer text,
	headers json,
	created_at timestamptz not null default now(),
	primary key (scope_id, key, operation, slot)
) partition by list (slot);
create table request_keys_slot_0 partition of request_keys for values in (0);
create table request_keys_slot_1 partition of request_keys for values in (1);
create table request_keys_slot_2 partition of request_keys for values in (2);
create table request_keys_slot_3 partition of request_keys for values in (3);

-- Keys for one purpose that must outlive the key-encryption key from which they were derived, such as the pepper of
-- tombstones. Sealed for `kept-key|<name>`.
create table kept_keys (
	name text primary key,
	sealed_key bytea not null,
	created_at timestamptz not null default now()
);

-- What every process must learn of, written in the transaction of the change and kept for an hour. Processes read the
-- rows that they have not seen, by `xid`, four times a second; the notification only makes them read sooner.
create table changes (
	id bigint generated always as identity primary key,
	xid xid8 not null default pg_current_xact_id(),
	at timestamptz not null default clock_timestamp(),
	kind text not null,
	-- What changed: a digest, an id, or nothing.
	subject text not null
);
create index changes_by_xid on changes (xid);
create trigger changes_announced after insert on changes for each statement execute function notify_changes();

-- The environment that the database belongs to: the first process that issues or sends sets it, and processes of
-- another one are refused.
create table deployment (
	is_the_only boolean primary key default true check (is_the_only),
	environment text not null,
	since timestamptz not null default now(),
	-- When the archive last read the database's clock, and since when it has advanced without a jump.
	clock_seen_at timestamptz,
	clock_steady_since timestamptz
);

-- The settings that all processes of a deployment must agree on, by the name of their variable; null: not set. The
-- key-encryption key stands as the first bytes of its digest.
create table deployment_settings (
	name text primary key,
	value text,
	since timestamptz not null default now()
);

-- The processes of a deployment. Each notes that it lives every fifteen seconds, and removes its row when it stops.
create table processes (
	id uuid primary key,
	-- Host, process id and start.
	node text not null,
	role text not null,
	-- The server for which it has restored what it acknowledged, see `server_identity`; null: it acknowledges no invoices.
	restored_for text,
	-- What it has acknowledged may be nowhere else. After a failover it must restore it, or an operator looks for it.
	must_report boolean not null default false check (not must_report or restored_for is not null),
	started_at timestamptz not null default now(),
	seen_at timestamptz not null default now()
);
