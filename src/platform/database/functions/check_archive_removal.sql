create or replace function check_archive_removal() returns trigger language plpgsql as $$
declare
	kept_until timestamptz;
begin
	select retain_until into kept_until from archive_objects where object_key = new.object_key;
	if new.retain_until > now() or new.retain_until <> coalesce(kept_until, new.retain_until) or not exists (
		select 1 from archive_leaves l
		where l.object_key = new.object_key and l.tenant_id = new.tenant_id and l.doc_id = new.doc_id and l.sha256 = new.sha256
	) then
		raise exception 'archive object % is kept: its removal cannot be told', new.object_key;
	end if;
	return new;
end $$;
alter function check_archive_removal set search_path = public, pg_temp;
