-- Adds a tenant's documents that were decided since to its sums, or all of them anew, from the first day on that has all its documents. Returns how many. Two do not fold one tenant at once: the later
-- one leaves it to the other. Events are committed in their order, so all up to the last one are there; its number is read first, because others may
-- follow. Afresh the tenant's verdicts wait, since they have no order of their own.
create or replace function fold_sums(of_tenant uuid, afresh boolean) returns bigint language plpgsql as $$
declare
	upto bigint;
	folded bigint;
	total bigint;
	anew_from constant date := case when afresh then sums_from(of_tenant) else 'infinity' end;
begin
	if afresh then
		perform pg_advisory_xact_lock(7301071, hashtext(of_tenant::text));
		perform from heads where tenant_id = of_tenant for update;
		delete from day_sums where tenant_id = of_tenant and day >= anew_from;
		delete from customer_sums where tenant_id = of_tenant and month >= anew_from;
		delete from day_digests where tenant_id = of_tenant and day >= anew_from;
	elsif not pg_try_advisory_xact_lock(7301071, hashtext(of_tenant::text)) then
		return 0;
	end if;
	select last_sequence, folded_sequence into upto, folded from heads where tenant_id = of_tenant;
	if upto is null or folded = upto and not afresh then
		return 0;
	end if;
	with tail as materialized (
		select environment, day, type, status, branch, customer_rnc, subtotal, tax from list_unfolded(of_tenant, upto) where day < anew_from
		union all
		select d.environment, d.issue_date, d.type, v.status, coalesce(d.branch, ''), coalesce(d.customer_rnc, ''),
			case d.type when 34 then -d.subtotal else d.subtotal end, case d.type when 34 then -d.tax else d.tax end
		from documents d join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id
		where afresh and d.tenant_id = of_tenant and d.test_set_id is null and d.issue_date >= anew_from
	), by_day as (
		insert into day_sums as s (tenant_id, environment, day, type, status, branch, count, subtotal, tax)
		select of_tenant, environment, day, type, status, branch, count(*), sum(subtotal), sum(tax) from tail group by 2, 3, 4, 5, 6
		on conflict (tenant_id, environment, day, type, status, branch) do update
		set count = s.count + excluded.count, subtotal = s.subtotal + excluded.subtotal, tax = s.tax + excluded.tax
	), by_customer as (
		insert into customer_sums as s (tenant_id, environment, month, customer_rnc, type, status, newest, count, subtotal, tax)
		select of_tenant, environment, date_trunc('month', day::timestamp)::date, customer_rnc, type, status, max(day), count(*), sum(subtotal), sum(tax)
		from tail group by 2, 3, 4, 5, 6
		on conflict (tenant_id, environment, month, customer_rnc, type, status) do update
		set newest = greatest(s.newest, excluded.newest), count = s.count + excluded.count, subtotal = s.subtotal + excluded.subtotal,
			tax = s.tax + excluded.tax
	), days as (
		insert into day_digests as s (tenant_id, environment, day, documents)
		select of_tenant, environment, day, count(*) from tail group by 2, 3
		on conflict (tenant_id, environment, day) do update set documents = s.documents + excluded.documents, digest = null
	)
	update heads set folded_sequence = upto where tenant_id = of_tenant returning (select count(*) from tail) into total;
	return coalesce(total, 0);
end $$;
