-- The partition of `request_keys` for an instant.
create or replace function request_slot(instant timestamptz) returns smallint language sql immutable strict parallel safe
return ((extract(epoch from instant)::bigint / 43200) % 4)::smallint;
