-- Settings of the tables that grow with every document. `maintain_partitions` gives them to each partition.
--
-- Samples of 3,000 rows instead of 30,000, because each new count makes the statements that are kept planned again, and invoices wait meanwhile.
-- A sample is as large as the largest target of a table's columns, and an expression of an index counts as one. Columns that no query filters
-- by have no sample at all. A table is analysed again after a third of its rows are new: statements find their rows by indexes written for them, so
-- fewer counts change no plan. The factor of a server that the operator has changed is kept.
select sample_little(name::regclass) from unnest(array[
	'outbox', 'names',
	'request_keys_slot_0', 'request_keys_slot_1', 'request_keys_slot_2', 'request_keys_slot_3'
]) name;
