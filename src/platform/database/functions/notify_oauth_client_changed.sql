create or replace function notify_oauth_client_changed() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'client:' || old.client_id);
	return null;
end $$;
