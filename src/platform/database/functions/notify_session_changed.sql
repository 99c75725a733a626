create or replace function notify_session_changed() returns trigger language plpgsql as $$
begin
	insert into changes (kind, subject)
	select 'session', encode(digest, 'hex') from unnest(array[old.token_digest, old.former_digest]) as digest
	where digest is not null;
	return null;
end $$;
