-- Deletes what stayed in the default partitions when its month was dropped, or was restored, once its time is over: documents with their verdicts and
-- papers, and seals, some thousands at a time. The rules are those of `drop_month`. Returns how many seals went. It runs with the rights of its owner,
-- since such rows are written once.
create or replace function drop_left_documents() returns bigint language plpgsql security definer as $$
declare
	stop uuid := first_id_at(now() - interval '10 years');
	dropped bigint;
begin
	perform set_config('sello.swept_rows', 'on', true);
	with gone as materialized (
		select d.tenant_id, d.doc_id, d.client_request_id from documents_default d
		where d.doc_id < stop
			and (select bool_and(is_over(s.removed_at, s.retain_until, s.decided_at)) from seals s where s.tenant_id = d.tenant_id and s.doc_id = d.doc_id and s.doc_id < stop)
			and not exists (select from open_documents o where o.tenant_id = d.tenant_id and o.doc_id = d.doc_id and o.status = 'p')
		order by d.doc_id limit 5000
	), of_names as (
		delete from names n using gone g
		where n.tenant_id = g.tenant_id and n.kind = 'i' and n.name = g.client_request_id and n.doc_id = g.doc_id
	), of_open as (
		delete from open_documents o using gone g where o.tenant_id = g.tenant_id and o.doc_id = g.doc_id
	), of_verdicts as (
		delete from verdicts_default v using gone g where v.tenant_id = g.tenant_id and v.doc_id = g.doc_id
	), of_papers as (
		delete from papers_default p using gone g where p.tenant_id = g.tenant_id and p.doc_id = g.doc_id
	), of_steps as (
		delete from steps_default p using gone g where p.tenant_id = g.tenant_id and p.doc_id = g.doc_id
	)
	delete from documents_default d using gone g where d.tenant_id = g.tenant_id and d.doc_id = g.doc_id;
	with picked as materialized (
		select s.tenant_id, s.doc_id, s.n from seals_default s
		where s.doc_id < stop and is_over(s.removed_at, s.retain_until, s.decided_at) and s.leaf < (select c.sizes[s.shard + 1] from archive_checkpoints c order by c.number desc limit 1)
			and not exists (select from documents d where d.tenant_id = s.tenant_id and d.doc_id = s.doc_id and d.doc_id < stop)
			and not needs_link(s.tenant_id, s.link)
		order by s.doc_id limit 5000
	), gone as (
		delete from seals_default s using picked p where s.tenant_id = p.tenant_id and s.doc_id = p.doc_id and s.n = p.n
		returning s.tenant_id, s.shard, month_of_id(s.doc_id) as month
	), recorded as (
		insert into archive_removals as r (tenant_id, month, shard, seals) select tenant_id, month, shard, count(*) from gone group by 1, 2, 3
		on conflict (tenant_id, month) do update set seals = r.seals + excluded.seals, removed_at = now()
	)
	select count(*) into dropped from gone;
	perform set_config('sello.swept_rows', '', true);
	return dropped;
end $$;
alter function drop_left_documents set search_path = public, pg_temp;
