-- How an endpoint is called, and its next secret while two are valid. The table is small; adding columns with constant defaults
-- rewrites nothing and locks it for a moment.
alter table webhook_endpoints
	add column version int not null default 1,
	add column updated_at timestamptz not null default now(),
	-- First attempts a second, of one dispatcher; null is no limit.
	add column rate_limit_per_second int check (rate_limit_per_second between 1 and 1000),
	add column ordering text not null default 'per_document' check (ordering in ('per_document', 'none')),
	-- Set together by a rotation: the secret that takes over at `next_secret_at`.
	add column sealed_next_secret bytea,
	add column next_secret_hint text,
	add column next_secret_at timestamptz,
	add constraint webhook_endpoints_next_secret
		check (num_nulls(sealed_next_secret, next_secret_hint, next_secret_at) in (0, 3));

-- What a tenant has sent again after an endpoint's failure.
create index deliveries_dead_of_endpoint on deliveries (endpoint_id, id) where status = 'dead';
