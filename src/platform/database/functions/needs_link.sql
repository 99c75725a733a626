-- Whether a link of a tenant's chain is the last one, or the one before the link of an object that is there.
create or replace function needs_link(tenant uuid, nth bigint) returns boolean language plpgsql stable as $$
begin
	return exists (select from seals n where n.tenant_id = tenant and n.link = nth + 1 and n.link >= 0 and n.removed_at is null)
		or exists (select from seal_chains c where c.tenant_id = tenant and c.links = nth + 1);
end $$;
alter function needs_link set search_path = public, pg_temp;
