-- Deletes papers and steps that stayed in the default partitions when their day was dropped, of documents that have been sealed since and whose
-- objects the caller has checked. Returns how many documents had some. It runs with the rights of its owner, since such rows are written once.
create or replace function drop_left_papers(tenants uuid[], documents uuid[]) returns bigint language plpgsql security definer as $$
declare
	dropped bigint;
begin
	perform set_config('sello.swept_rows', 'on', true);
	with wanted as materialized (
		select distinct g.tenant_id, g.doc_id
		from unnest(tenants, documents) g (tenant_id, doc_id)
		join seals s on s.tenant_id = g.tenant_id and s.doc_id = g.doc_id and s.removed_at is null
		left join verdicts v on v.tenant_id = s.tenant_id and v.doc_id = s.doc_id
		where g.doc_id < first_id_at(now() - interval '2 days') and (
			date_trunc('milliseconds', v.decided_at) = s.decided_at
			or exists (select from received_papers_default r where r.tenant_id = s.tenant_id and r.id = s.doc_id)
		)
	), of_papers as (
		delete from papers_default p using wanted w where p.tenant_id = w.tenant_id and p.doc_id = w.doc_id
	), of_steps as (
		delete from steps_default p using wanted w where p.tenant_id = w.tenant_id and p.doc_id = w.doc_id
	), of_received as (
		delete from received_papers_default p using wanted w where p.tenant_id = w.tenant_id and p.id = w.doc_id
	)
	select count(*) into dropped from wanted;
	perform set_config('sello.swept_rows', '', true);
	return dropped;
end $$;
alter function drop_left_papers set search_path = public, pg_temp;
