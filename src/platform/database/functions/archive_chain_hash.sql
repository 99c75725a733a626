create or replace function archive_chain_hash(previous bytea, doc_id uuid, sha256 bytea, decided_at timestamptz) returns bytea language sql immutable as $$
	select sha256(previous || sha256 || uuid_send(doc_id) || int8send((extract(epoch from decided_at) * 1000)::bigint))
$$;
