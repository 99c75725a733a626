-- Erased numbers for the deltas that lead from runs which had them, so that copies lose the entries. Sealed, and dropped with the last such
-- run. A new table only: no lock on anything in use.
create table registry_erased_numbers (
	-- As in registry_tombstones.
	digest bytea primary key check (octet_length(digest) = 32),
	-- The newest set of changes at the time of the erasure.
	ordinal bigint not null references registry_change_sets on delete cascade,
	sealed_number bytea not null
);

create index registry_erased_numbers_by_set on registry_erased_numbers (ordinal);
