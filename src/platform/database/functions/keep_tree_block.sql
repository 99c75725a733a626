-- A block of leaves only grows.
create or replace function keep_tree_block() returns trigger language plpgsql as $$
begin
	if tg_op = 'UPDATE' then
		if new.anchor = old.anchor and new.block = old.block and length(new.hashes) > length(old.hashes)
			and substring(new.hashes for length(old.hashes)) = old.hashes
		then
			return new;
		end if;
	end if;
	raise exception '% on % is not allowed: the archive''s proof only grows', tg_op, tg_table_name;
end $$;
alter function keep_tree_block set search_path = public, pg_temp;
