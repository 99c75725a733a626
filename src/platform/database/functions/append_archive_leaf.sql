-- Adds one leaf in a given order, for an index that is rebuilt from the archive alone: that order was signed.
create or replace function append_archive_leaf(next bigint, tenant uuid, key text, document uuid, digest bytea, decided timestamptz) returns void
language plpgsql as $$
declare
	link record;
begin
	select l.chain_index, l.chain_hash into link from archive_leaves l where l.tenant_id = tenant order by l.chain_index desc limit 1;
	insert into archive_leaves (leaf_index, tenant_id, chain_index, object_key, doc_id, sha256, decided_at, leaf_hash, chain_hash)
	values (next, tenant, coalesce(link.chain_index + 1, 0), key, document, digest, decided, archive_leaf_hash(document, digest, decided),
		archive_chain_hash(coalesce(link.chain_hash, decode(repeat('00', 32), 'hex')), document, digest, decided));
	perform append_archive_nodes(next + 1);
end $$;
