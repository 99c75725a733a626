-- Durable work: messages written in the transaction of the fact that causes them, carried out later by a dispatcher.
-- `attempt` grows with each claim and fences every later write; `failures` counts only retries. Claimed by state, never by a
-- cursor over ids, because ids are not assigned in commit order. New table: no lock on anything, no time.
create table outbox (
	id uuid primary key,
	kind text not null,
	tenant_id uuid not null,
	-- What the message is about: a document or a delivery.
	subject uuid not null,
	payload jsonb not null default '{}',
	state text not null default 'ready' check (state in ('ready', 'working', 'done', 'dead')),
	attempt int not null default 0,
	failures int not null default 0,
	available_at timestamptz not null default now(),
	lease_until timestamptz,
	owner uuid,
	last_error text,
	created_at timestamptz not null default now(),
	settled_at timestamptz
);
create index outbox_due on outbox (available_at) where state = 'ready';
create index outbox_leases on outbox (lease_until) where state = 'working';
create index outbox_subject on outbox (subject);
create index outbox_settled on outbox (settled_at) where state = 'done';

-- Answers kept for 24 hours, so that a repeat of an idempotency key gets the same bytes. `scope_id` is the tenant, or the key's
-- owner where an operation has no tenant yet. Not partitioned: the unique key is what settles a race.
create table idempotency_keys (
	scope_id uuid not null,
	operation text not null,
	key uuid not null,
	raw_sha256 bytea not null,
	payload_sha256 bytea not null,
	answer text not null,
	headers jsonb not null default '{}',
	doc_id uuid,
	created_at timestamptz not null default now(),
	primary key (scope_id, operation, key)
);
create index idempotency_keys_created_at on idempotency_keys (created_at);
