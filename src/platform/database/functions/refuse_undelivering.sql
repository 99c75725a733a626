-- A delivered document stays delivered.
create or replace function refuse_undelivering() returns trigger language plpgsql as $$
begin
	if old.state = 'delivered' and new.state is distinct from old.state then
		raise exception 'document % is delivered: it cannot become %', old.doc_id, new.state;
	end if;
	return new;
end $$;
alter function refuse_undelivering set search_path = public, pg_temp;
