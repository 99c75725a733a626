-- Marks the objects of documents of the public sandbox as removed and forgets what their rows say of the documents; null for all documents. Returns
-- how many there were. The table's trigger refuses any other tenant.
create or replace function forget_seals(wiped_tenant uuid, documents uuid[]) returns bigint
language plpgsql security definer as $$
declare
	forgotten bigint;
begin
	perform set_config('sello.wiped_tenant', wiped_tenant::text, true);
	update seals set removed_at = now(), encf = null, type = null, status = null
	where tenant_id = wiped_tenant and removed_at is null and (documents is null or doc_id = any(documents));
	get diagnostics forgotten = row_count;
	perform set_config('sello.wiped_tenant', '', true);
	return forgotten;
end $$;
alter function forget_seals set search_path = public, pg_temp;
