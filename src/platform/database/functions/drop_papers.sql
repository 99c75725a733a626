-- Drops papers and steps of a day, whose sealed objects have been checked. Rows of documents that are not sealed by then move to the default
-- partition. SQLSTATE 55P03: a transaction is in the way. It runs with the rights of its owner, since the service owns no table.
create or replace function drop_papers(wanted date) returns bigint language plpgsql security definer as $$
declare
	first uuid := first_id_at(wanted::timestamp at time zone 'UTC');
	stop uuid := first_id_at((wanted + 1)::timestamp at time zone 'UTC');
	checked_at timestamptz;
	partition name;
	parent name;
	count bigint;
	moved bigint := 0;
begin
	perform pg_advisory_xact_lock(7301070), set_config('lock_timeout', '200ms', true);
	if wanted > (now() at time zone 'UTC')::date - 3 then
		raise exception 'papers of % are younger than two days', wanted;
	end if;
	select d.begun_at into checked_at from paper_days d where d.day = wanted and d.is_checked and d.faults = 0;
	if not found then
		raise exception 'the sealed documents of % were not checked, or have faults', wanted;
	end if;
	foreach parent in array array['papers', 'steps'] loop
		partition := parent || to_char(wanted, '_YYYY_MM_DD');
		continue when to_regclass(quote_ident(partition)) is null;
		execute format('alter table %I detach partition %I', parent, partition);
		execute format(
			'insert into %I select p.* from %I p where not exists (
				select from verdicts v
				join seals s on s.tenant_id = v.tenant_id and s.doc_id = v.doc_id and s.decided_at = date_trunc(''milliseconds'', v.decided_at)
				where v.tenant_id = p.tenant_id and v.doc_id = p.doc_id and v.doc_id >= $1 and v.doc_id < $2
					and s.doc_id >= $1 and s.doc_id < $2 and s.removed_at is null and s.sealed_at < $3
			)', parent, partition) using first, stop, checked_at;
		get diagnostics count = row_count;
		if parent = 'papers' then
			moved := count;
		end if;
		execute format('drop table %I', partition);
	end loop;
	update paper_days set dropped_at = now() where day = wanted;
	return moved;
end $$;
alter function drop_papers set search_path = public, pg_temp;
