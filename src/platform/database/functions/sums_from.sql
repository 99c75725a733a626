-- The first day whose documents of a tenant are all there. Months that were dropped after their retention may have had documents of the day before and
-- of the next month. The sums of older days stay as they are.
create or replace function sums_from(of_tenant uuid) returns date language plpgsql stable as $$
begin
	return (select coalesce(max(r.month) + interval '2 months', '-infinity')::date from archive_removals r where r.tenant_id = of_tenant);
end $$;
