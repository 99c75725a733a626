-- A decided document never changes its status again.
create or replace function refuse_undeciding() returns trigger language plpgsql as $$
begin
	if old.status in ('accepted', 'rejected') and new.status is distinct from old.status then
		raise exception 'document % is %: it cannot become %', old.doc_id, old.status, new.status;
	end if;
	return new;
end $$;
