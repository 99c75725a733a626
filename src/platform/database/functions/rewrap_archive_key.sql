create or replace function rewrap_archive_key(key_name text, sealed bytea) returns void language sql security definer as $$
	update archive_keys set sealed_private_key = sealed where name = key_name
$$;
alter function rewrap_archive_key set search_path = public, pg_temp;
