-- Removes an object from the index when its retention is over. Returns false, and changes nothing, before that.
create or replace function sweep_archive_object(key text) returns boolean
language plpgsql security definer as $$
begin
	insert into archive_removals (object_key, tenant_id, doc_id, sha256, retain_until)
	select object_key, tenant_id, doc_id, sha256, retain_until from archive_objects
	where object_key = key and retain_until < now() for update;
	if not found then
		return false;
	end if;
	perform set_config('sello.swept_object', key, true);
	delete from archive_objects where object_key = key;
	perform set_config('sello.swept_object', '', true);
	return true;
end $$;
alter function sweep_archive_object set search_path = public, pg_temp;
