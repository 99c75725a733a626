create or replace function notify_oauth_client_changed() returns trigger language plpgsql as $$
begin
	insert into changes (kind, subject) values ('client', old.client_id);
	return null;
end $$;
