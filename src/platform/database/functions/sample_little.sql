-- Settings of a table that grows with every document; see `schema/11_growing_tables.sql`. Packed bytes have no sample at all.
create or replace function sample_little(growing regclass) returns void language plpgsql as $$
declare
	named record;
begin
	for named in
		select attname, case when attname = 'body' and atttypid = 'bytea'::regtype then 0 else 10 end as target from pg_attribute
		where attrelid = growing and attnum > 0 and not attisdropped and coalesce(attstattarget, -1) = -1
	loop
		execute format('alter table %s alter column %I set statistics %s', growing, named.attname, named.target);
	end loop;
	for named in
		select i.indexrelid::regclass as index, position
		from pg_index i, generate_series(1, i.indnatts) position
		where i.indrelid = growing and i.indkey[position - 1] = 0
	loop
		execute format('alter index %s alter column %s set statistics 10', named.index, named.position);
	end loop;
	if current_setting('autovacuum_analyze_scale_factor')::float8 = 0.1 then
		execute format('alter table %s set (autovacuum_analyze_scale_factor = 0.3)', growing);
	end if;
end $$;
