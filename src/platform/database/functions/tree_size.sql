-- How many leaves a tree has.
create or replace function tree_size(tree uuid) returns bigint language plpgsql stable as $$
begin
	return coalesce((select block * 16 + length(hashes) / 32 from tree_blocks where anchor = tree order by block desc limit 1), 0);
end $$;
