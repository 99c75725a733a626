create or replace function notify_token_revoked() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'token:' || new.jti);
	return null;
end $$;
