-- Who is subscribed to a tenant's events has changed. Takes the lock of its feed, so no event is written meanwhile.
create or replace function renew_endpoints_version() returns trigger language plpgsql as $$
begin
	insert into heads (tenant_id, last_sequence, endpoints_version) values (coalesce(new.subject_id, old.subject_id), 0, gen_random_uuid())
	on conflict (tenant_id) do update set endpoints_version = excluded.endpoints_version;
	return null;
end $$;
alter function renew_endpoints_version set search_path = public, pg_temp;
