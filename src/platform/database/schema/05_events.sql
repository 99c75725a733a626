-- Events in an order without gaps, webhook endpoints, a delivery for each subscribed endpoint, and every attempt of it.

-- Endpoints of a company, or of an owner without one.
create table webhook_endpoints (
	-- The recipient of its events: the company or the owner. Counters, events and deliveries hold it as `tenant_id`.
	subject_id uuid not null check (subject_id = coalesce(tenant_id, owner_id)),
	id uuid not null,
	tenant_id uuid references companies,
	url text not null,
	events jsonb not null,
	description text,
	status text not null default 'enabled' check (status in ('enabled', 'disabled')),
	sealed_secret bytea not null,
	secret_hint text not null,
	created_at timestamptz not null default now(),
	disabled_at timestamptz,
	version int not null default 1,
	updated_at timestamptz not null default now(),
	-- First attempts per second and dispatcher; null is no limit.
	rate_limit_per_second int check (rate_limit_per_second between 1 and 1000),
	ordering text not null default 'per_document' check (ordering in ('per_document', 'none')),
	-- Set together by a rotation: the secret that takes over at `next_secret_at`.
	sealed_next_secret bytea,
	next_secret_hint text,
	next_secret_at timestamptz,
	recovery text not null default 'automatic' check (recovery in ('automatic', 'manual')),
	-- Set together while a probe is under way. A message of the outbox with another id belongs to an earlier probe.
	probe_id uuid,
	-- Failures and passes in a row. More than zero passes: the queue is being drained.
	probe_failures int,
	probe_passes int,
	probe_next_at timestamptz,
	owner_id uuid references owners,
	primary key (subject_id, id),
	constraint webhook_endpoints_next_secret check (num_nulls(sealed_next_secret, next_secret_hint, next_secret_at) in (0, 3)),
	constraint webhook_endpoints_probe check (num_nulls(probe_id, probe_failures, probe_passes, probe_next_at) in (0, 4)),
	constraint webhook_endpoints_subject check (num_nonnulls(tenant_id, owner_id) = 1)
);
create index webhook_endpoints_tenant on webhook_endpoints (tenant_id);

-- The row's lock makes the sequence gap-free: it is held until the transaction of the event ends, and a rollback
-- returns the number.
create table event_counters (
	tenant_id uuid primary key,
	last_sequence bigint not null,
	-- Events up to here were deleted.
	swept_sequence bigint not null default 0,
	-- The sums of reports have the verdicts of events up to here.
	folded_sequence bigint not null default 0
);

create table events (
	tenant_id uuid not null,
	sequence bigint not null,
	id uuid not null,
	event text not null,
	doc_id uuid not null,
	doc_version int,
	-- The exact bytes that every attempt sends and signs.
	body text not null,
	occurred_at timestamptz not null,
	primary key (tenant_id, sequence),
	-- Old events are found by their ids.
	unique (id, tenant_id)
);

create table deliveries (
	-- The header `X-Service-Delivery`, the same through all retries and redispatches.
	id uuid not null,
	tenant_id uuid not null,
	-- No foreign key, because what was sent stays known when its endpoint is gone.
	endpoint_id uuid not null,
	event_id uuid not null,
	sequence bigint not null,
	event text not null,
	doc_id uuid not null,
	-- failed: the last attempt failed and another is due. dead: nothing more happens by itself; `reason` says why.
	status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'dead')),
	reason text,
	created_at timestamptz not null default now(),
	delivered_at timestamptz,
	dead_at timestamptz,
	-- How often a probe may still queue this dead letter again.
	recoveries_left int not null default 5,
	-- Deliveries of many tenants are found by their ids.
	primary key (id, tenant_id),
	foreign key (event_id, tenant_id) references events (id, tenant_id)
);
create index deliveries_by_tenant on deliveries (tenant_id, id);
create index deliveries_dead on deliveries (id) where status = 'dead';
-- Dead letters that a tenant sends again.
create index deliveries_dead_of_endpoint on deliveries (endpoint_id, id) where status = 'dead';
create index deliveries_of_document on deliveries (doc_id, id);
create index deliveries_of_event on deliveries (event_id);
-- Dead letters that a probe has queued again and that were not tried since.
create index deliveries_returning on deliveries (endpoint_id) where status = 'pending' and recoveries_left < 5;
create index deliveries_unfinished on deliveries (endpoint_id, doc_id, sequence) where status in ('pending', 'failed');

create table delivery_attempts (
	tenant_id uuid not null,
	delivery_id uuid not null,
	n int not null,
	at timestamptz not null,
	duration_ms int not null,
	response_status int,
	error text,
	-- The first 4 KiB.
	response_body text not null,
	primary key (tenant_id, delivery_id, n),
	foreign key (delivery_id, tenant_id) references deliveries on delete cascade
);
