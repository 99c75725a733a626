create or replace function notify_token_revoked() returns trigger language plpgsql as $$
begin
	insert into changes (kind, subject) values ('token', new.jti);
	return null;
end $$;
