create or replace function notify_user_changed() returns trigger language plpgsql as $$
begin
	insert into changes (kind, subject) values ('user', old.id::text);
	return null;
end $$;
