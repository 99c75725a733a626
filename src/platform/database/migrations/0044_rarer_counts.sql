-- Growing tables are counted anew when a tenth more is in them: below 100,000 rows at full rate that is each time the server looks, every 10
-- seconds, and each count makes the statements that are kept planned anew in every connection. What these statements ask is found by indexes
-- written for them, so a third more rows change no plan. Where an operator has said otherwise, for the server or a table, that stays.
-- Locks nothing that reads or writes, rewrites nothing.
do $$
declare
	growing constant text[] := array[
		'invoices', 'signed_documents', 'idempotency_keys', 'outbox', 'invoice_history', 'submissions', 'authority_track_ids', 'authority_answers',
		'events', 'deliveries', 'delivery_attempts', 'archive_objects', 'archive_leaves'
	];
	named regclass;
begin
	if current_setting('autovacuum_analyze_scale_factor')::float8 <> 0.1 then
		return;
	end if;
	for named in
		select c.oid::regclass
		from pg_class c
		where c.oid = any (select to_regclass(one) from unnest(growing) one)
			and not exists (
				select from unnest(c.reloptions) option where option like 'autovacuum\_analyze\_scale\_factor=%'
			)
	loop
		execute format('alter table %s set (autovacuum_analyze_scale_factor = 0.3)', named);
	end loop;
end
$$;
