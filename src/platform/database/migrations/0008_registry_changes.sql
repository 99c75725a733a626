-- What each registry run changed against the one before it, for the change feed. New tables only: no lock on anything in use.

-- One for each run that was taken into use. Only the latest are kept.
create table registry_change_sets (
	ordinal bigint generated always as identity primary key,
	-- A run that is taken into use again has several.
	run_id uuid not null references registry_runs (id) on delete cascade,
	-- Number of the last change before this set: who has read up to there can go on with this set.
	starts_after bigint not null check (starts_after >= 0),
	-- Number of its own last change; `starts_after` when it has none.
	ends_at bigint not null check (ends_at >= starts_after)
);

create table registry_changes (
	-- Ascending without a gap when written; an erasure leaves one.
	number bigint primary key,
	ordinal bigint not null references registry_change_sets on delete cascade,
	kind text not null check (kind in ('added', 'changed', 'removed')),
	document text not null,
	-- As in registry_tombstones, so that an erasure finds the rows without the number.
	digest bytea not null check (octet_length(digest) = 32)
);

create index registry_changes_by_set on registry_changes (ordinal);
create index registry_changes_by_digest on registry_changes (digest);
