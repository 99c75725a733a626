-- Removes the events of before an instant, a Monday in UTC, with their deliveries, unless one of these is needed: it arrived since then, is under
-- way, or is a dead letter of after another instant. Whole weeks are dropped, and what is needed of them moves to the default; of what lies there a
-- batch is deleted. A week that another transaction is in the way of is dropped the next time. Returns the count of weeks and deleted events.
create or replace function sweep_events(before timestamptz, dead_before timestamptz) returns bigint language plpgsql security definer as $$
declare
	week record;
	tenants uuid[];
	sequences bigint[];
	swept bigint;
	-- $1 and $2 are the two instants; a name stands for the tables of a week.
	needed constant text := 'exists (
		select from unnest(e.endpoint_ids) x
		left join %2$I d on d.tenant_id = e.tenant_id and d.id = delivery_id(e.tenant_id, e.id, x)
		where (d.status = ''delivered'' and (d.ended_at >= $1) is not true or d.status = ''dead'' and d.id < first_id_at($2)) is not true
	)';
	-- Some may have been sent again since they were looked at.
	still_needed constant text := '(e.tenant_id, e.sequence) in (
		select * from unnest($1, $2) union select tenant_id, sequence from %2$I where status in (''pending'', ''failed'')
	)';
begin
	perform set_config('lock_timeout', '200ms', true), set_config('sello.swept_rows', 'on', true);
	with gone as (
		select e.tenant_id, e.sequence, e.id, e.endpoint_ids from events_default e
		where e.id < first_id_at(before) and not exists (
			select from unnest(e.endpoint_ids) x
			left join deliveries d on d.tenant_id = e.tenant_id and d.id = delivery_id(e.tenant_id, e.id, x)
			where (d.status = 'delivered' and (d.ended_at >= before) is not true or d.status = 'dead' and d.id < first_id_at(dead_before)) is not true
		)
		order by e.id limit 5000
	), cleared as (
		delete from deliveries d using gone g, unnest(g.endpoint_ids) x
		where d.tenant_id = g.tenant_id and d.id = delivery_id(g.tenant_id, g.id, x)
	), removed as (
		delete from events_default e using gone g where e.tenant_id = g.tenant_id and e.sequence = g.sequence and e.id = g.id returning 1
	)
	select count(*) into swept from removed;
	perform set_config('sello.swept_rows', '', true);
	for week in
		select i.inhrelid::regclass::text as events, replace(i.inhrelid::regclass::text, 'events', 'deliveries') as deliveries
		from pg_inherits i
		where i.inhparent = 'events'::regclass and i.inhrelid::regclass::text ~ '_\d{4}_\d\d_\d\d$'
			and to_date(right(i.inhrelid::regclass::text, 10), 'YYYY_MM_DD') + 7 <= (before at time zone 'UTC')::date
	loop
		begin
			execute format('select array_agg(tenant_id), array_agg(sequence) from %1$I e where ' || needed, week.events, week.deliveries)
				into tenants, sequences using before, dead_before;
			execute format('alter table events detach partition %I', week.events);
			execute format('alter table deliveries detach partition %I', week.deliveries);
			execute format('insert into events select e.* from %1$I e where ' || still_needed, week.events, week.deliveries)
				using tenants, sequences;
			execute format('insert into deliveries select e.* from %2$I e where ' || still_needed, week.events, week.deliveries)
				using tenants, sequences;
			execute format('drop table %I, %I', week.events, week.deliveries);
			swept := swept + 1;
		exception when lock_not_available then
			raise warning 'week % was not dropped: %', week.events, sqlerrm;
		end;
	end loop;
	return swept;
end $$;
alter function sweep_events set search_path = public, pg_temp;
