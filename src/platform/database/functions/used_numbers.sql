-- The numbers that documents of a tenant use, among these of a type: for its company now, or as it would be in another environment of the
-- authority. The offset keeps the planner from comparing every name of the tenant with every range.
create or replace function used_numbers(tenant uuid, of_type text, among int8multirange, environment text default null)
returns int8multirange language plpgsql stable as $$
begin
	return (
		select coalesce(range_agg(int8range(u.number, u.number + 1)), '{}')
		from unnest(among) r
		cross join lateral (
			select substr(n.name, 4)::bigint as number from names n
			where n.tenant_id = tenant
				and n.kind = any(case when environment is null then number_kinds(tenant) else array['p', left(environment, 1)]::"char"[] end)
				and n.name >= 'E' || of_type || lpad(lower(r)::text, 10, '0')
				and n.name <= 'E' || of_type || lpad((upper(r) - 1)::text, 10, '0')
				and length(n.name) = 13
			offset 0
		) u
	);
end $$;
