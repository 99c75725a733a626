-- Marks an object as removed when its retention is over. Returns false, and changes nothing, before that.
create or replace function remove_seal(tenant uuid, document uuid, nth int) returns boolean
language plpgsql security definer as $$
declare
	was_kept boolean;
begin
	perform set_config('sello.swept_object', document || '/' || nth, true);
	update seals set removed_at = now()
	where tenant_id = tenant and doc_id = document and n = nth and removed_at is null and retain_until < now();
	was_kept := found;
	perform set_config('sello.swept_object', '', true);
	return was_kept;
end $$;
alter function remove_seal set search_path = public, pg_temp;
