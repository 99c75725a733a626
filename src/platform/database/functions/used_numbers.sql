-- The numbers of a sequence that documents use. The order and the offset keep the planner from comparing every document of the tenant
-- with every range.
create or replace function used_numbers(tenant uuid, of_type text, among int8multirange) returns int8multirange language sql stable as $$
	select coalesce(range_agg(int8range(u.number, u.number + 1)), '{}')
	from unnest(among) r
	cross join lateral (
		select substr(i.encf, 4)::bigint as number from invoices i
		where i.tenant_id = tenant and not i.encf_released
			and i.encf >= 'E' || of_type || lpad(lower(r)::text, 10, '0')
			and i.encf <= 'E' || of_type || lpad((upper(r) - 1)::text, 10, '0')
			and length(i.encf) = 13
		order by i.encf offset 0
	) u
$$;
