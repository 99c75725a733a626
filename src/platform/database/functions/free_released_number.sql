-- A number that is given back is free again, in whatever length its document wrote it.
create or replace function free_released_number() returns trigger language plpgsql as $$
declare
	n bigint := substr(new.encf, 4)::bigint;
begin
	-- Whoever ends a hold has this lock: it sees the release, or the release sees the end.
	perform 1 from sequence_types where tenant_id = new.tenant_id and type = new.type for update;
	update sequences s set free = s.free + int8multirange(int8range(n, n + 1))
	where s.tenant_id = new.tenant_id and s.type = new.type and s.numbers @> n
		and not exists (select 1 from sequence_holds h
			where h.tenant_id = new.tenant_id and h.type = new.type and h.numbers @> n);
	return null;
end $$;
