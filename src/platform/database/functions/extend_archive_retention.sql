-- Moves the end of retention to a later time. Returns how many objects were extended. It runs with the rights of its owner, since the
-- service may neither update nor delete rows of the index.
create or replace function extend_archive_retention(keys text[], until timestamptz) returns int
language plpgsql security definer as $$
declare
	extended int;
begin
	update archive_objects set retain_until = until where object_key = any(keys) and retain_until < until;
	get diagnostics extended = row_count;
	return extended;
end $$;
alter function extend_archive_retention set search_path = public, pg_temp;
