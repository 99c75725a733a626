create or replace function refuse_other_void() returns trigger language plpgsql as $$
begin
	if old.document is not null and new.document is distinct from old.document then
		raise exception 'void % is signed: its bytes cannot change', old.id;
	end if;
	if old.status <> 'pending' and new.status is distinct from old.status then
		raise exception 'void % is %: it cannot become %', old.id, old.status, new.status;
	end if;
	return new;
end $$;
