-- A tenant whose documents are in the archive already gets no company that could be wiped; nor does one that the audit log knows with
-- another company.
create or replace function keep_archived_tenant() returns trigger language plpgsql as $$
begin
	if exists (select 1 from seals s where s.tenant_id = new.tenant_id)
		or exists (select 1 from audit a where a.tenant_id = new.tenant_id)
	then
		raise exception 'tenant % has archived documents or a past: it cannot become one of the public sandbox', new.tenant_id;
	end if;
	return new;
end $$;
alter function keep_archived_tenant set search_path = public, pg_temp;
