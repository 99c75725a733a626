-- Adds the roots of the subtrees that are complete with this many leaves.
create or replace function append_archive_nodes(leaves bigint) returns void language plpgsql as $$
declare
	node bigint := leaves / 16;
	above int := 4;
	root bytea;
begin
	if leaves % 16 <> 0 then
		return;
	end if;
	root := archive_lowest_node(leaves);
	loop
		insert into archive_nodes (level, node_index, hash) values (above, node - 1, root);
		exit when node % 2 = 1;
		select sha256('\x01'::bytea || n.hash || root) into strict root from archive_nodes n
		where n.level = above and n.node_index = node - 2;
		above := above + 1;
		node := node / 2;
	end loop;
end $$;
