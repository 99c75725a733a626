-- Keys for one purpose that must outlive the key-encryption key which they were derived from, such as the pepper of tombstones: sealed like
-- other secrets, for the place `kept-key|<name>`. New table: no lock on anything, no time.
create table kept_keys (
	name text primary key,
	sealed_key bytea not null,
	created_at timestamptz not null default now()
);

-- The archive's keys are written once, but for what their private part is sealed under: the key-encryption key may change. Functions: no time.
create function keep_archive_key() returns trigger language plpgsql as $$
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
drop trigger archive_keys_kept on archive_keys;
create trigger archive_keys_kept before update or delete on archive_keys for each row execute function keep_archive_key();

create function rewrap_archive_key(key_name text, sealed bytea) returns void language sql security definer as $$
	update archive_keys set sealed_private_key = sealed where name = key_name
$$;
do $$
declare
	one text;
begin
	foreach one in array array['keep_archive_key()', 'rewrap_archive_key(text, bytea)'] loop
		execute format('alter function %s set search_path = %I, pg_temp', one, current_schema());
	end loop;
end $$;
