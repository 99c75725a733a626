-- What writes the archive's index never reads a whole table. A plan that was made while the tables were empty is kept for as long as the
-- connection and nobody has counted their rows: it read all leaves for each batch, ten times as slow after 10,000 documents. Functions: no lock, no time.
alter function store_archive_objects(json) set enable_seqscan = off;
alter function restore_archive_leaves(json) set enable_seqscan = off;
