create or replace function keep_archive_object() returns trigger language plpgsql as $$
begin
	if tg_op = 'UPDATE' then
		if new.retain_until > old.retain_until
			and (to_jsonb(new) - 'retain_until') = (to_jsonb(old) - 'retain_until')
		then
			return new;
		end if;
		raise exception 'archive object % is written once: only a later retain_until is taken', old.object_key;
	end if;
	if tg_op = 'DELETE' then
		if current_setting('sello.wiped_tenant', true) <> '' and is_of_wiped_tenant(to_jsonb(old)) then
			return old;
		end if;
		if current_setting('sello.swept_object', true) = old.object_key and old.retain_until < now() then
			return old;
		end if;
	end if;
	raise exception '% on archive_objects is not allowed: archived documents are kept', tg_op;
end $$;
alter function keep_archive_object set search_path = public, pg_temp;
