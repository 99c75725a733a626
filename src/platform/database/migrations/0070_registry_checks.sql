-- Lists that customers have checked against the registry. The lists and results are files of one machine; a row stays until the month is over,
-- because it counts towards the plan's limit.
create table registry_checks (
	id uuid primary key,
	-- The owner of the key; behind a shared key, a digest of the address.
	subject text not null,
	-- The machine that has the files, as named in their folder.
	host uuid not null,
	status text not null check (status in ('running', 'done', 'failed', 'ended')),
	created_at timestamptz not null,
	finished_at timestamptz,
	expires_at timestamptz not null,
	rows integer not null,
	done integer not null default 0,
	counts jsonb,
	layout jsonb,
	-- The data that the result was made from, and the fingerprint of the erasures that it respects.
	run_id uuid,
	cleared_of text,
	-- Until when a process works on it.
	lease_until timestamptz
);

create index registry_checks_of on registry_checks (subject, created_at);
create index registry_checks_at on registry_checks (host);
