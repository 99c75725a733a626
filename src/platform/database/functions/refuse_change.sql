create or replace function refuse_change() returns trigger language plpgsql as $$
begin
	if tg_op = 'DELETE' then
		if current_setting('sello.wiped_tenant', true) <> '' and is_of_wiped_tenant(to_jsonb(old)) then
			return old;
		end if;
		-- What stayed in a default partition longer than the rest of its day, week or month. The function of the owner that deletes it has checked it.
		if current_setting('sello.swept_rows', true) = 'on' and tg_table_name like '%\_default' then
			return old;
		end if;
	end if;
	raise exception '% on % is not allowed: its rows are written once', tg_op, tg_table_name;
end $$;
alter function refuse_change set search_path = public, pg_temp;
