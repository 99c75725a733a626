-- The first day of the month in which a UUIDv7 was made, UTC.
create or replace function month_of_id(id uuid) returns date language sql immutable strict parallel safe
return date_trunc('month', to_timestamp(('x0000' || substr(replace(id::text, '-', ''), 1, 12))::bit(64)::bigint / 1000.0) at time zone 'UTC')::date;
