-- Adds the root of a block of sixteen leaves, and the roots of the larger subtrees that it completes.
create or replace function append_tree_nodes(tree uuid, block bigint, hashes bytea) returns void language plpgsql as $$
declare
	root bytea := hashes;
	place bigint := block + 1;
	above int := 4;
begin
	while length(root) > 32 loop
		root := (
			select string_agg(sha256('\x01'::bytea || substring(root from i * 64 + 1 for 64)), ''::bytea order by i)
			from generate_series(0, length(root) / 64 - 1) i
		);
	end loop;
	loop
		insert into tree_nodes (anchor, level, node, hash) values (tree, above, place - 1, root);
		exit when place % 2 = 1;
		select sha256('\x01'::bytea || n.hash || root) into strict root from tree_nodes n
		where n.anchor = tree and n.level = above and n.node = place - 2;
		above := above + 1;
		place := place / 2;
	end loop;
end $$;
