-- Sealing a private key under another key-encryption key changes nothing for those who verify, so it announces nothing.
create or replace function notify_signing_keys_changed() returns trigger language plpgsql as $$
begin
	insert into changes (kind, subject) values ('signing-keys', '');
	return null;
end $$;
