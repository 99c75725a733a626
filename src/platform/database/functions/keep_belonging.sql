-- The owner of a row decides what may be wiped, so it is fixed when the row is written.
create or replace function keep_belonging() returns trigger language plpgsql as $$
begin
	raise exception 'a row of % stays with its tenant and its environment', tg_table_name;
end $$;
alter function keep_belonging set search_path = public, pg_temp;
