-- An archive key never changes, except for the key-encryption key under which its private part is sealed.
create or replace function keep_archive_key() returns trigger language plpgsql as $$
begin
	if tg_op = 'UPDATE' and old.sealed_private_key is not null and new.sealed_private_key is not null
		and (to_jsonb(new) - 'sealed_private_key') = (to_jsonb(old) - 'sealed_private_key')
		-- The secret itself, behind the wrapped key that opens it.
		and substring(new.sealed_private_key from 70) = substring(old.sealed_private_key from 70)
	then
		return new;
	end if;
	raise exception '% on % is not allowed: the archive''s proof only grows', tg_op, tg_table_name;
end $$;
alter function keep_archive_key set search_path = public, pg_temp;
