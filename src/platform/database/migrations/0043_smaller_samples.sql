-- While tables grow they are counted every few seconds, and the statements that are kept are planned anew after it. A sample of 30,000 rows for each
-- took most of that time, and invoices wait meanwhile; 3,000 say as much about columns that are found by their indexes. The sample is as large as the
-- greatest of a table's columns wants it, and the expression of an index counts as one. Locks nothing that reads or writes, rewrites nothing.
do $$
declare
	growing constant text[] := array[
		'invoices', 'signed_documents', 'outbox', 'invoice_history', 'submissions', 'authority_track_ids', 'authority_answers', 'events', 'deliveries',
		'delivery_attempts', 'archive_objects', 'archive_leaves'
	];
	named record;
begin
	for named in
		select a.attrelid::regclass as relation, a.attname as name
		from pg_attribute a
		where a.attrelid = any (select to_regclass(one) from unnest(growing) one)
			and a.attnum > 0 and not a.attisdropped and coalesce(a.attstattarget, -1) = -1
	loop
		execute format('alter table %s alter column %I set statistics 10', named.relation, named.name);
	end loop;
	for named in
		select i.indexrelid::regclass as relation, position.number
		from pg_index i
		cross join lateral generate_series(1, i.indnatts) position(number)
		where i.indrelid = any (select to_regclass(one) from unnest(growing) one) and i.indkey[position.number - 1] = 0
	loop
		execute format('alter index %s alter column %s set statistics 10', named.relation, named.number);
	end loop;
end
$$;
