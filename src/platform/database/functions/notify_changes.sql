create or replace function notify_changes() returns trigger language plpgsql as $$
begin
	perform pg_notify('changes_written', '');
	return null;
end $$;
