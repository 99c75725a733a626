-- Says whether a sealed document was issued, was received, or is a decision on one of these.
create or replace function describe_archive_object() returns trigger language plpgsql as $$
begin
	if new.status is null then
		-- A document that failed and was brought back has an object for each decision; the earlier ones are those of failures.
		select d.encf, d.type, case when date_trunc('milliseconds', v.decided_at) is distinct from new.decided_at then 'failed'
			when v.status = 'a' then 'accepted' else 'rejected' end
		into new.encf, new.type, new.status
		from documents d left join verdicts v on v.tenant_id = d.tenant_id and v.doc_id = d.doc_id
		where d.tenant_id = new.tenant_id and d.doc_id = new.doc_id;
		if not found then
			select r.encf, r.type, r.acknowledgement into new.encf, new.type, new.status from received_documents r
			where r.tenant_id = new.tenant_id and r.id = new.doc_id;
		end if;
		if not found then
			select a.encf, substr(a.encf, 2, 2), 'approval' into new.encf, new.type, new.status from approvals a
			where a.tenant_id = new.tenant_id and a.id = new.doc_id;
		end if;
	end if;
	return new;
end $$;
alter function describe_archive_object set search_path = public, pg_temp;
