-- Plans that hold for tables of every size. What writes the archive's index never reads a whole table: a plan that was made while the tables were
-- empty is kept for as long as the connection and nobody has counted their rows, and it read all leaves for each batch. The outbox is read
-- tenant by tenant: with an index of all that is due, the planner looked for one tenant's messages among everybody's. The index is dropped under a
-- lock on `outbox` that takes no time.
alter function store_archive_objects(json) set enable_seqscan = off;
alter function restore_archive_leaves(json) set enable_seqscan = off;
drop index outbox_due;
