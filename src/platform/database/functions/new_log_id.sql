-- A UUIDv7 of this moment by the database's clock.
create or replace function new_log_id() returns uuid language sql volatile parallel safe
return overlay(gen_random_uuid()::text placing left(first_id_at(clock_timestamp())::text, 15) from 1)::uuid;
