-- What the copy of the registry held before each change, so that it can be asked about earlier days. New tables only.

create table registry_history (
	-- The number, as a number that sorts like its digits.
	document_key bigint not null,
	-- The day in UTC-4 at whose end the copy first held something else.
	until date not null,
	-- The run that changed it.
	run_id uuid not null,
	existed boolean not null,
	-- Earlier values of the members that changed; null if the entry did not exist.
	was jsonb,
	primary key (document_key, until),
	check (existed = (was is not null))
);

-- Rows are added in the order of days: a small index finds the latest ones.
create index registry_history_by_day on registry_history using brin (until);

-- From when something is known: the first run, and older files that the operator imported.
create table registry_history_starts (
	begins date primary key,
	run_id uuid not null,
	is_imported boolean not null
);
