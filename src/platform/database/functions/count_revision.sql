-- Counts the changes of a row, for caches: a copy of the same revision is the row itself.
create or replace function count_revision() returns trigger language plpgsql as $$
begin
	new.revision := old.revision + 1;
	return new;
end $$;
