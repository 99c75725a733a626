-- The id of the delivery of an event to an endpoint: the event's id, a UUIDv7, with a hash of all three in its last six bytes.
create or replace function delivery_id(of_tenant uuid, of_event uuid, of_endpoint uuid) returns uuid language sql immutable strict parallel safe
return (
	left(of_event::text, 24) || left(encode(sha256(uuid_send(of_tenant) || uuid_send(of_event) || uuid_send(of_endpoint)), 'hex'), 12)
)::uuid;
