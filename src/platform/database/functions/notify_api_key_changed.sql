create or replace function notify_api_key_changed() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'key:' || encode(old.digest, 'hex'));
	return null;
end $$;
