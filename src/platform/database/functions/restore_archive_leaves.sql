-- Appends leaves at the given indexes. Leaves that exist must be the same. Returns how many were new.
create or replace function restore_archive_leaves(given json) returns int language plpgsql as $$
declare
	one record;
	next bigint;
	added int := 0;
begin
	perform pg_advisory_xact_lock(7301028);
	select coalesce(max(leaf_index) + 1, 0) into next from archive_leaves;
	for one in
		select g.* from json_to_recordset(given) as g("leafIndex" bigint, "tenantId" uuid, "chainIndex" bigint, "objectKey" text, "docId" uuid,
			sha256 text, "decidedAt" timestamptz)
		order by g."leafIndex"
	loop
		if one."leafIndex" = next then
			perform append_archive_leaf(next, one."tenantId", one."objectKey", one."docId", decode(one.sha256, 'hex'), one."decidedAt");
			next := next + 1;
			added := added + 1;
		end if;
		if not exists (
			select 1 from archive_leaves l
			where l.leaf_index = one."leafIndex" and l.tenant_id = one."tenantId" and l.object_key = one."objectKey" and l.doc_id = one."docId"
				and l.sha256 = decode(one.sha256, 'hex') and l.decided_at = one."decidedAt"
				and l.chain_index = coalesce(one."chainIndex", l.chain_index)
		) then
			raise exception 'leaf % of the archive is another one than the index has', one."leafIndex" using errcode = 'SL032';
		end if;
	end loop;
	return added;
end $$;
alter function restore_archive_leaves(json) set enable_seqscan = off;
