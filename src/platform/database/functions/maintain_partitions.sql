-- Makes the partitions of the coming days, weeks and months, empties the slot of request keys that comes next, and drops days of the work log.
-- What another transaction is in the way of is done the next time; until then the default takes the rows of a partition. The role of the service
-- reaches partitions through their table.
create or replace function maintain_partitions() returns void language plpgsql security definer as $$
declare
	wanted record;
	grantee name;
	next_slot text := 'request_keys_slot_' || (request_slot(now()) + 1) % 4;
	is_used boolean;
begin
	perform pg_advisory_xact_lock(7301070), set_config('lock_timeout', '200ms', true);
	for wanted in
		select t.name, t.options, t.name || to_char(p.start, t.form) as partition, p.start, p.start + ('1 ' || t.span)::interval as stop
		from (values
			('documents', 'month', '_YYYY_MM', 2, ''),
			('verdicts', 'month', '_YYYY_MM', 2, ''),
			('seals', 'month', '_YYYY_MM', 2, ''),
			('audit', 'month', '_YYYY_MM', 2, ''),
			('papers', 'day', '_YYYY_MM_DD', 3, ' with (toast_tuple_target = 8160)'),
			('steps', 'day', '_YYYY_MM_DD', 3, ' with (toast_tuple_target = 8160)'),
			('received_papers', 'day', '_YYYY_MM_DD', 3, ''),
			('work_log', 'day', '_YYYY_MM_DD', 3, ''),
			('events', 'week', '_YYYY_MM_DD', 2, ''),
			('deliveries', 'week', '_YYYY_MM_DD', 2, '')
		) t (name, span, form, ahead, options)
		cross join lateral (
			select date_trunc(t.span, now() at time zone 'UTC') + n * ('1 ' || t.span)::interval as start from generate_series(0, t.ahead) n
		) p
		where to_regclass(t.name || to_char(p.start, t.form)) is null
	loop
		begin
			execute format('create table %I partition of %I for values from (%L) to (%L)%s', wanted.partition, wanted.name,
				first_id_at(wanted.start at time zone 'UTC'), first_id_at(wanted.stop at time zone 'UTC'), wanted.options);
			perform sample_little(wanted.partition::regclass);
			for grantee in
				select a.grantee::regrole::name from pg_class c, aclexplode(c.relacl) a
				where c.oid = to_regclass(wanted.partition) and a.grantee <> 0 and a.grantee <> c.relowner group by 1
			loop
				execute format('revoke all on %I from %I', wanted.partition, grantee);
			end loop;
		exception when lock_not_available or check_violation then
			raise warning 'partition % was not made: %', wanted.partition, sqlerrm;
		end;
	end loop;
	for wanted in
		select c.relname as partition
		from pg_inherits i join pg_class c on c.oid = i.inhrelid
		where i.inhparent = 'work_log'::regclass and c.relname ~ '^work_log_\d{4}_\d\d_\d\d$'
			and to_date(right(c.relname, 10), 'YYYY_MM_DD') + 1
				<= (select least(min(s.done_before), now() - interval '2 days') at time zone 'UTC' from shards s)
	loop
		begin
			execute format('drop table %I', wanted.partition);
		exception when lock_not_available then
			raise warning 'partition % was not dropped: %', wanted.partition, sqlerrm;
		end;
	end loop;
	execute format('select exists (select from %I)', next_slot) into is_used;
	if is_used then
		begin
			execute format('truncate %I', next_slot);
		exception when lock_not_available then
			raise warning 'slot % was not emptied: %', next_slot, sqlerrm;
		end;
	end if;
end $$;
alter function maintain_partitions set search_path = public, pg_temp;
/*citus alter function maintain_partitions set citus.enable_unsafe_triggers = on;*/
