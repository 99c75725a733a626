-- Source: RFC 6962, 2.1: a leaf is hashed with the prefix 0x00, two nodes with 0x01.
create or replace function archive_leaf_hash(doc_id uuid, sha256 bytea, decided_at timestamptz) returns bytea language sql immutable as $$
	select sha256('\x00'::bytea || uuid_send(doc_id) || sha256 || int8send((extract(epoch from decided_at) * 1000)::bigint))
$$;
