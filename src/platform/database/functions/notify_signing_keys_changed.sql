-- Sealing a private key under another key-encryption key changes nothing for those who verify, so it sends no notification.
create or replace function notify_signing_keys_changed() returns trigger language plpgsql as $$
begin
	perform pg_notify('access_changed', 'signing-keys:');
	return null;
end $$;
