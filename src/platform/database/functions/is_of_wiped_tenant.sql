-- True for a row of the tenant that the transaction wipes, when its company belongs to the public sandbox. In any other environment no
-- setting lets a written-once row be deleted.
create or replace function is_of_wiped_tenant(old_row jsonb) returns boolean language sql stable as $$
	select exists (
		select 1 from companies c
		where c.environment = 'public-sandbox'
			and c.tenant_id = nullif(current_setting('sello.wiped_tenant', true), '')::uuid
			and c.tenant_id = (old_row ->> 'tenant_id')::uuid
	)
$$;
alter function is_of_wiped_tenant set search_path = public, pg_temp;
