-- The server and its timeline, which changes when a standby takes over or a backup is restored up to a point in time.
create or replace function server_identity() returns text language sql stable as $$
	select system_identifier || ' ' || left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system()
$$;
