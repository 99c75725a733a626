-- Settings of the tables that grow with every document.
--
-- Samples of 3,000 rows instead of 30,000, because each new count makes the statements that are kept planned again, and invoices wait meanwhile.
-- A sample is as large as the largest target of a table's columns, and an expression of an index counts as one. Columns that no query filters
-- by have no sample at all. A table is analysed again after a third of its rows are new: statements find their rows by indexes written for them, so
-- fewer counts change no plan. The factor of a server that the operator has changed is kept.
do $$
declare
	growing constant regclass[] := array[
		'invoices', 'signed_documents', 'idempotency_keys', 'outbox', 'invoice_history', 'submissions', 'authority_track_ids', 'authority_answers',
		'events', 'deliveries', 'delivery_attempts'
	];
	is_default constant boolean := current_setting('autovacuum_analyze_scale_factor')::float8 = 0.1;
	one regclass;
	named record;
begin
	foreach one in array growing loop
		for named in
			select attname from pg_attribute
			where attrelid = one and attnum > 0 and not attisdropped and coalesce(attstattarget, -1) = -1
		loop
			execute format('alter table %s alter column %I set statistics 10', one, named.attname);
		end loop;
		for named in
			select i.indexrelid::regclass as index, position
			from pg_index i, generate_series(1, i.indnatts) position
			where i.indrelid = one and i.indkey[position - 1] = 0
		loop
			execute format('alter index %s alter column %s set statistics 10', named.index, named.position);
		end loop;
		if is_default then
			execute format('alter table %s set (autovacuum_analyze_scale_factor = 0.3)', one);
		end if;
	end loop;
end $$;
