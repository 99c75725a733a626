-- Gives the numbers of documents back. They are free again in the sequences of the environment in which they were used, in whatever length
-- they are written. What ends a hold locks the type too: it sees the release, or the release sees the end.
create or replace function release_numbers(tenants uuid[], docs uuid[]) returns void language plpgsql as $$
begin
	perform 1 from sequence_types t
	where (t.tenant_id, t.type) in (
		select d.tenant_id, d.type::text from unnest(tenants, docs) g (tenant_id, doc_id) join documents d using (tenant_id, doc_id)
	)
	order by t.tenant_id, t.type for update;
	with gone as (
		delete from names n using unnest(tenants, docs) g (tenant_id, doc_id) join documents d using (tenant_id, doc_id)
		where n.tenant_id = any(tenants) and n.tenant_id = d.tenant_id and n.kind = d.environment and n.name = d.encf and n.doc_id = d.doc_id
		returning n.tenant_id, n.kind, n.name, n.doc_id
	), released as (
		insert into released_names (tenant_id, kind, name, doc_id) select tenant_id, kind, name, doc_id from gone
	), back as (
		select s.tenant_id, s.id, range_agg(int8range(u.number, u.number + 1)) as numbers
		from gone cross join lateral (select substr(gone.name, 2, 2) as type, substr(gone.name, 4)::bigint as number) u
		join sequences s on s.tenant_id = gone.tenant_id and s.type = u.type and s.numbers @> u.number
		where gone.kind = any(number_kinds(gone.tenant_id)) and not exists (
			select from sequence_holds h where h.tenant_id = gone.tenant_id and h.type = u.type and h.numbers @> u.number
		)
		group by s.tenant_id, s.id
	)
	update sequences s set free = s.free + back.numbers from back where s.tenant_id = back.tenant_id and s.id = back.id;
end $$;
