-- Drops papers and steps of a day, and the papers of received documents, whose sealed objects have been checked. Rows of documents that were not
-- sealed then move to the default partition. Returns how many documents these are; null, and nothing happens, if documents came or went since the
-- check. SQLSTATE 55P03: a transaction is in the way. It runs with the rights of its owner, since the service owns no table.
create or replace function drop_papers(wanted date) returns bigint language plpgsql security definer as $$
declare
	checked record;
	part record;
	count bigint;
	documents bigint := 0;
	-- The partitions of the day, with the column of the document.
	parts constant text := $parts$
		select t.parent, t.id, t.parent || to_char($1, '_YYYY_MM_DD') as partition
		from (values ('papers', 'doc_id'), ('steps', 'doc_id'), ('received_papers', 'id')) t (parent, id)
		where to_regclass(t.parent || to_char($1, '_YYYY_MM_DD')) is not null
	$parts$;
begin
	perform pg_advisory_xact_lock(7301070), set_config('lock_timeout', '200ms', true);
	if wanted > (now() at time zone 'UTC')::date - 3 then
		raise exception 'papers of % are younger than two days', wanted;
	end if;
	select * into checked from paper_days d where d.day = wanted and d.is_checked and d.faults = 0;
	if not found then
		raise exception 'the sealed documents of % were not checked, or have faults', wanted;
	end if;
	-- Only who writes into this day waits while its documents are counted. Readers, and writers of other days, wait for the short part below.
	for part in execute parts using wanted loop
		execute format('lock table %I in share mode', part.partition);
		if part.parent <> 'steps' then
			execute format('select count(*) from %I', part.partition) into count;
			documents := documents + count;
		end if;
	end loop;
	if documents <> checked.documents then
		return null;
	end if;
	for part in execute parts using wanted loop
		execute format('alter table %I detach partition %I', part.parent, part.partition);
		if checked.left_documents <> '{}' then
			execute format('insert into %I select p.* from unnest($1, $2) k (tenant_id, id) join %I p on p.tenant_id = k.tenant_id and p.%I = k.id',
				part.parent, part.partition, part.id) using checked.left_tenants, checked.left_documents;
		end if;
		execute format('drop table %I', part.partition);
	end loop;
	update paper_days set dropped_at = now() where day = wanted;
	return cardinality(checked.left_documents);
end $$;
alter function drop_papers set search_path = public, pg_temp;
