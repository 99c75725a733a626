-- The taxpayer registry: its ingest runs and the tombstones of erased entries. New tables only: no lock on anything in use.

-- Counts tries to load the source, those that found it unchanged included.
create sequence registry_attempts;

create table registry_runs (
	id uuid primary key,
	-- The latest try that ended in this row: one that finds the source unchanged moves the row of the run it confirms.
	attempt bigint not null default nextval('registry_attempts'),
	attempted_at timestamptz not null,
	-- How that try ended; 'unchanged' when it confirmed the run.
	attempt_result text not null check (attempt_result in ('ok', 'unchanged', 'refused', 'failed')),
	result text not null check (result in ('ok', 'refused', 'failed')),
	-- Why it was refused or failed, for the operator.
	reason text,
	source text not null,
	source_etag text,
	source_sha256 text,
	record_count integer not null,
	-- Against the run before; null where that one's data was not at hand.
	added integer,
	changed integer,
	removed integer,
	-- Source lines that could not be read.
	refused integer not null,
	-- Entries left out because of a tombstone.
	suppressed integer not null,
	duration_ms integer not null,
	finished_at timestamptz not null,
	-- When the source was last seen to hold this run's data.
	confirmed_at timestamptz not null
);

create index registry_runs_by_attempt on registry_runs (attempt desc);
create index registry_runs_good on registry_runs (attempt desc) where result = 'ok';

-- An erased number is kept only as HMAC-SHA256 under a key outside the database.
create table registry_tombstones (
	digest bytea primary key check (octet_length(digest) = 32),
	purge_id uuid not null unique,
	purged_at timestamptz not null,
	legal_basis text not null,
	request_reference text not null,
	requested_by text not null,
	reason text not null
);
