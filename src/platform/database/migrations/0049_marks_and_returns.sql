-- What a cursor of the change feed names beside its place, so that one of a timeline that a restored database has lost is known by it: places are
-- counted anew there, marks are not. Sets from before have none, nor have cursors of places in them. And the digests of reversed erasures until an
-- ingest brings the entries back: the run in use was cleared of them, so whoever builds it anew must leave them out. Columns without a default
-- rewrite nothing; both tables are small. An ingest, which has read the erasures, is waited for first: waiting for it with the lock of the table asked for
-- would keep erasures waiting as well. A process of the version before takes cursors of this one for none.
select pg_advisory_xact_lock(7301004);
alter table registry_change_sets
	add column mark uuid,
	-- The mark of the place right in front of the set, whose own set may be dropped before this one.
	add column mark_before uuid;

alter table registry_tombstones
	-- Not unique: the same number may be erased anew meanwhile. Null where it is not known, as for what was reversed before.
	add column held_digest bytea check (octet_length(held_digest) = 32),
	add constraint registry_tombstones_held check (held_digest is null or reversed_at is not null);
