-- Watchlists of registry numbers, and webhooks of owners who have no company. Webhooks are few, so their new column takes no time.
alter table webhook_endpoints
	alter column tenant_id drop not null,
	add column owner_id uuid references owners,
	-- Whose events it gets. Counters, events and deliveries hold it as `tenant_id`.
	add column subject_id uuid generated always as (coalesce(tenant_id, owner_id)) stored,
	add constraint webhook_endpoints_subject check (num_nonnulls(tenant_id, owner_id) = 1);
create index webhook_endpoints_by_subject on webhook_endpoints (subject_id);

-- The values that a run changed, for the events of watchlists. Rows of earlier runs have none.
alter table registry_changes add column fields json;

create table watchlists (
	id uuid primary key,
	owner_id uuid not null references owners,
	-- Null if its events go to the owner.
	tenant_id uuid references companies on delete cascade,
	subject_id uuid not null generated always as (coalesce(tenant_id, owner_id)) stored,
	name text not null,
	fields text[] not null,
	-- Ascending, as the gaps between them.
	numbers bytea not null default '',
	-- The references of the numbers, one a line; empty without any.
	labels text not null default '',
	number_count int not null default 0,
	-- The set of changes that its events are written up to.
	joined_ordinal bigint not null,
	version int not null default 1,
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now()
);
create index watchlists_by_owner on watchlists (owner_id);
create index watchlists_by_subject on watchlists (subject_id, id);
