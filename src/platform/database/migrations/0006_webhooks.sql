-- What tenants are told: events in an order without gaps, one delivery for each subscribed endpoint, every attempt of it.
-- New tables: no lock on anything, no time.

-- The row's lock is what makes the sequence gap-free: it is held until the transaction of the event ends, and a rollback gives
-- the number back.
create table event_counters (
	tenant_id uuid primary key,
	last_sequence bigint not null
);

create table events (
	tenant_id uuid not null,
	sequence bigint not null,
	id uuid not null unique,
	event text not null,
	doc_id uuid not null,
	doc_version int,
	-- The very bytes that every attempt sends and signs.
	body text not null,
	occurred_at timestamptz not null,
	primary key (tenant_id, sequence)
);

create table deliveries (
	-- Told to the receiver as X-Service-Delivery; the same through all retries and redispatches.
	id uuid primary key,
	tenant_id uuid not null,
	-- No foreign key: what was sent stays known when its endpoint is gone.
	endpoint_id uuid not null,
	event_id uuid not null references events (id),
	sequence bigint not null,
	event text not null,
	doc_id uuid not null,
	-- failed: the last attempt failed and another is due. dead: nothing more happens by itself, `reason` tells why.
	status text not null default 'pending' check (status in ('pending', 'delivered', 'failed', 'dead')),
	reason text,
	created_at timestamptz not null default now(),
	delivered_at timestamptz,
	dead_at timestamptz
);
create index deliveries_by_tenant on deliveries (tenant_id, id);
create index deliveries_of_event on deliveries (event_id);
create index deliveries_unfinished on deliveries (endpoint_id, doc_id, sequence) where status in ('pending', 'failed');
create index deliveries_dead on deliveries (id) where status = 'dead';

create table delivery_attempts (
	delivery_id uuid not null references deliveries on delete cascade,
	n int not null,
	at timestamptz not null,
	duration_ms int not null,
	response_status int,
	error text,
	-- The first 4 KiB.
	response_body text not null,
	primary key (delivery_id, n)
);
