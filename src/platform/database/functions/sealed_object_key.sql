-- The key of a sealed object in the store. `src/archive/object-store/archive.ts` makes the same.
create or replace function sealed_object_key(tenant uuid, document uuid, decided timestamptz, digest bytea) returns text
language sql immutable strict parallel safe as $$
	select tenant || '/' || extract(year from decided at time zone 'UTC') || '/' || document || '-' || left(encode(digest, 'hex'), 16) || '.zip'
$$;
