-- Drops the documents, verdicts and seals of a month whose ten years are over and whose objects were removed. What has to be kept for longer moves to
-- the default partition: documents that are kept for longer or are not decided, their seals, the link before each link of a kept object, and the last
-- link of each chain. The hashes of leaves stay for ever. Returns how many seals were dropped; null, and nothing happens, while objects are left that
-- are not kept for longer, while no checkpoint covers a leaf, or when so much is kept that the month is better left whole. SQLSTATE 55P03: a
-- transaction is in the way. It runs with the rights of its owner, since the service owns no table.
create or replace function drop_month(wanted date) returns bigint language plpgsql security definer as $$
declare
	suffix text := to_char(wanted, '_YYYY_MM');
	-- Documents that stay, links that stay, and how many seals of each tenant go.
	tenants uuid[];
	documents uuid[];
	of_links uuid[];
	links bigint[];
	gone record;
	parent text;
	stays_max constant int := 10000;
begin
	perform set_config('lock_timeout', '200ms', true);
	if wanted + interval '10 years 1 month' > now() at time zone 'UTC' then
		raise exception 'documents of % are younger than ten years', to_char(wanted, 'YYYY-MM');
	end if;
	-- Another process was faster.
	if to_regclass('seals' || suffix) is null then
		return null;
	end if;
	-- Only who writes into this month waits while its rows are looked at. All others wait for the short part below.
	execute format('lock table documents%1$s, verdicts%1$s, seals%1$s in share mode', suffix);
	execute format('select
		exists (select from seals%1$s s where s.removed_at is null and s.retain_until <= s.decided_at + interval ''10 years 1 day'')
		or exists (
			select from seals%1$s s
			where s.leaf >= coalesce((select c.sizes[s.shard + 1] from archive_checkpoints c order by c.number desc limit 1), 0)
		) as is_early', suffix) into gone;
	if gone.is_early then
		return null;
	end if;
	execute format('select coalesce(array_agg(d.tenant_id), ''{}''), coalesce(array_agg(d.doc_id), ''{}'') from (
			select d.tenant_id, d.doc_id from documents%1$s d left join (
				select tenant_id, doc_id, bool_and(is_over(s.removed_at, s.retain_until, s.decided_at)) as is_over
				from seals%1$s s group by 1, 2
			) s on s.tenant_id = d.tenant_id and s.doc_id = d.doc_id
			where s.is_over is not true or exists (
				select from open_documents o where o.tenant_id = d.tenant_id and o.doc_id = d.doc_id and o.status = ''p''
			)
			limit $1
		) d', suffix) into tenants, documents using stays_max + 1;
	execute format('with stays as materialized (
			select s.tenant_id, s.link from seals%1$s s where not is_over(s.removed_at, s.retain_until, s.decided_at) or (s.tenant_id, s.doc_id) in (select * from unnest($1, $2)) limit $3
		)
		select coalesce(array_agg(k.tenant_id), ''{}''), coalesce(array_agg(k.link), ''{}'') from (
			select tenant_id, link from stays
			union
			select tenant_id, link - 1 from stays
			union
			select s.tenant_id, s.link from seals%1$s s
			where not exists (select from seals%1$s n where n.tenant_id = s.tenant_id and n.link = s.link + 1) and needs_link(s.tenant_id, s.link)
		) k', suffix) into of_links, links using tenants, documents, stays_max + 1;
	if cardinality(documents) > stays_max or cardinality(links) > 3 * stays_max then
		return null;
	end if;
	delete from open_documents o
	where o.status = 'f' and o.doc_id >= first_id_at(wanted::timestamp at time zone 'UTC')
		and o.doc_id < first_id_at((wanted + interval '1 month') at time zone 'UTC') and (o.tenant_id, o.doc_id) not in (select * from unnest(tenants, documents));
	-- Numbers are used for ever; the callers' own ids may come again.
	execute format('delete from names n using documents%s d
		where n.tenant_id = d.tenant_id and n.kind = ''i'' and n.name = d.client_request_id and n.doc_id = d.doc_id
			and (d.tenant_id, d.doc_id) not in (select * from unnest($1, $2))', suffix) using tenants, documents;
	execute format('select coalesce(sum(count), 0)::bigint as count, array_agg(tenant_id) as tenants, array_agg(shard) as shards, array_agg(count) as counts from (
			select s.tenant_id, s.shard, count(*) from seals%s s where (s.tenant_id, s.link) not in (select * from unnest($1, $2)) group by 1, 2
		) g', suffix) into gone using of_links, links;
	perform pg_advisory_xact_lock(7301070);
	foreach parent in array array['documents', 'verdicts', 'seals'] loop
		execute format('alter table %I detach partition %I', parent, parent || suffix);
		if parent = 'seals' then
			execute format('insert into seals select p.* from %I p where (p.tenant_id, p.link) in (select * from unnest($1, $2))', parent || suffix)
				using of_links, links;
		else
			execute format('insert into %I select p.* from %I p where (p.tenant_id, p.doc_id) in (select * from unnest($1, $2))', parent,
				parent || suffix) using tenants, documents;
		end if;
		execute format('drop table %I', parent || suffix);
	end loop;
	insert into archive_removals as r (tenant_id, month, shard, seals)
	select g.tenant_id, wanted, g.shard, g.count from unnest(gone.tenants, gone.shards, gone.counts) g (tenant_id, shard, count)
	on conflict (tenant_id, month) do update set seals = r.seals + excluded.seals, removed_at = now();
	return gone.count;
end $$;
alter function drop_month set search_path = public, pg_temp;
