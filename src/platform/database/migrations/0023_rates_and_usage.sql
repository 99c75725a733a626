-- The rates that processes share, and what was used of the service. New tables only: no lock on anything, no time.

-- One bucket for each caller and policy that was used lately. Not logged: a server that crashes forgets them, and they are full again.
create unlogged table rate_buckets (
	subject text not null,
	policy text not null,
	quota float8 not null,
	per_second float8 not null,
	-- Below zero: several processes have given out what was there only once.
	level float8 not null,
	-- By whoever told last.
	taken float8 not null,
	as_of timestamptz not null,
	primary key (subject, policy)
) with (fillfactor = 50);

-- What was answered, by day of the country, API key, tenant and operation. Ids of zeros stand for none: a key cannot be null here.
create table usage_days (
	day date not null,
	key_id uuid not null,
	tenant_id uuid not null,
	operation text not null,
	-- Null for the demo key, which belongs to nobody.
	owner_id uuid,
	succeeded bigint not null,
	unmodified bigint not null,
	refused bigint not null,
	limited bigint not null,
	failed bigint not null,
	items bigint not null,
	primary key (day, key_id, tenant_id, operation)
) with (fillfactor = 80);
create index usage_days_owner on usage_days (owner_id, day);
create index usage_days_tenant on usage_days (tenant_id, day) where owner_id is null;

-- What each process has written already, so that one whose confirmation was lost is not written twice.
create table usage_writes (
	id uuid primary key,
	written_at timestamptz not null default now()
);
