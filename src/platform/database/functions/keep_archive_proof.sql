create or replace function keep_archive_proof() returns trigger language plpgsql as $$
begin
	raise exception '% on % is not allowed: the archive''s proof only grows', tg_op, tg_table_name;
end $$;
alter function keep_archive_proof set search_path = public, pg_temp;
