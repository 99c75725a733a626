create or replace function notify_api_key_changed() returns trigger language plpgsql as $$
begin
	insert into changes (kind, subject) values ('key', encode(old.digest, 'hex'));
	return null;
end $$;
