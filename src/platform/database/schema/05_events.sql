-- Events in an order without gaps, webhook endpoints, and what became of each delivery of an event to an endpoint.

-- Endpoints of a company, or of an owner without one.
create table webhook_endpoints (
	-- The recipient of its events: the company or the owner. Heads, events and deliveries hold it as `tenant_id`.
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

-- The end of a tenant's feed. The row's lock makes the sequence gap-free: it is held until the transaction of the event ends, and a rollback
-- returns the number. Endpoints change under the same lock, so the endpoints of an event are those of its moment.
create table heads (
	tenant_id uuid primary key,
	last_sequence bigint not null,
	-- The feed no longer shows events up to here.
	swept_sequence bigint not null default 0,
	-- The sums of reports have the verdicts of events up to here.
	folded_sequence bigint not null default 0,
	-- Another one after each change of what the tenant's endpoints subscribe to, never used twice; null before the first endpoint.
	endpoints_version uuid
);
create trigger webhook_endpoints_version after insert or delete or update of events, status on webhook_endpoints
	for each row execute function renew_endpoints_version();

-- Partitions are ranges of `id`, a UUIDv7 of the time at which the event happened, made by `maintain_partitions`. `sweep_events` drops them; what is
-- kept for longer is in the default.
create table events (
	tenant_id uuid not null,
	sequence bigint not null,
	id uuid not null,
	doc_id uuid not null,
	doc_version int,
	event text not null,
	-- The exact bytes that every attempt sends and signs.
	body text not null,
	-- Who was subscribed at that moment. The id of each delivery follows from it; see `delivery_id`.
	endpoint_ids uuid[] not null,
	primary key (tenant_id, sequence, id)
) partition by range (id);
create table events_default partition of events default;
create index events_by_id on events (tenant_id, id);
create index events_of_document on events (tenant_id, doc_id, sequence);
create trigger events_never_truncated before truncate on events for each statement execute function refuse_change();
create trigger events_once before update or delete on events for each row execute function refuse_change();

-- What became of a delivery, inserted with its first result: until then it is pending and has no row. Partitions as of `events`, whose weeks
-- end together, because an id has the time of its event.
create table deliveries (
	tenant_id uuid not null,
	-- The header `X-Service-Delivery`, the same through all retries and redispatches.
	id uuid not null,
	-- Of the event.
	sequence bigint not null,
	-- No foreign key, because what was sent stays known when its endpoint is gone. A letter that is sent again may go to another one.
	endpoint_id uuid not null,
	doc_id uuid not null,
	-- pending: to be sent again. failed: the last attempt failed and another is due. dead: nothing more happens by itself; `reason` says why.
	status text not null check (status in ('pending', 'delivered', 'failed', 'dead')),
	reason text,
	-- When it was delivered or died.
	ended_at timestamptz,
	-- How often a probe may still queue this dead letter again.
	recoveries_left int not null default 5,
	-- The last attempt; all are null before the first.
	at timestamptz,
	duration_ms int,
	response_status int,
	error text,
	-- The first 4 KiB.
	response_body text,
	-- Those before it, oldest first, each with the members `at`, `durationMs`, `responseStatus`, `error` and `responseBody`.
	attempts jsonb,
	primary key (tenant_id, id)
) partition by range (id);
create table deliveries_default partition of deliveries default;
create index deliveries_dead on deliveries (id) where status = 'dead';
-- Dead letters that a tenant or a probe sends again.
create index deliveries_dead_of_endpoint on deliveries (tenant_id, endpoint_id, id) where status = 'dead';
-- Dead letters that a probe has queued again and that were not tried since.
create index deliveries_returning on deliveries (tenant_id, endpoint_id) where status = 'pending' and recoveries_left < 5;
create index deliveries_unfinished on deliveries (tenant_id, endpoint_id, doc_id, sequence) where status in ('pending', 'failed');
