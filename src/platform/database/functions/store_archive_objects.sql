-- Writes objects and their leaves into the index. The same object again changes nothing. Returns what now stands under each key.
create or replace function store_archive_objects(given json) returns table (key text, digest bytea, document uuid) language plpgsql as $$
declare
	keys text[];
begin
	-- Before the index, for rows are written in the order of their leaves.
	perform pg_advisory_xact_lock(7301028);
	keys := array(select o ->> 'objectKey' from json_array_elements(given) o);
	insert into archive_objects (object_key, doc_id, tenant_id, sha256, bytes, decided_at, retain_until, version_id)
	select g."objectKey", g."docId", g."tenantId", decode(g.sha256, 'hex'), g.bytes, g."decidedAt", g."retainUntil", g."versionId"
	from json_to_recordset(given) as g("objectKey" text, "docId" uuid, "tenantId" uuid, sha256 text, bytes int,
		"decidedAt" timestamptz, "retainUntil" timestamptz, "versionId" text)
	on conflict (object_key) do nothing;
	perform append_archive_leaves(keys);
	return query select a.object_key, a.sha256, a.doc_id from archive_objects a where a.object_key = any(keys);
end $$;
alter function store_archive_objects(json) set enable_seqscan = off;
