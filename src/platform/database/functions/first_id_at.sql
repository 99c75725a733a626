-- The smallest UUIDv7 of an instant.
create or replace function first_id_at(instant timestamptz) returns uuid language sql immutable strict parallel safe
return (lpad(to_hex((extract(epoch from instant) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid;
