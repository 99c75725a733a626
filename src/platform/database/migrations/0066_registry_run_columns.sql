-- How a run's source differs from the usual forms: columns that were added, values that it lacks, and lines with bars inside a text.
alter table registry_runs
	add column healed integer not null default 0,
	add column guessed integer not null default 0,
	add column columns_ignored text[] not null default '{}',
	-- Members that were taken from an earlier run because the source lacks them, and from which run.
	add column fields_kept text[] not null default '{}',
	add column fields_from_run uuid;
