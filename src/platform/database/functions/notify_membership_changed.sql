create or replace function notify_membership_changed() returns trigger language plpgsql as $$
begin
	insert into changes (kind, subject) values ('user', coalesce(new.user_id, old.user_id)::text);
	return null;
end $$;
