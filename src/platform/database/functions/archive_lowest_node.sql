-- The root of the complete subtree whose last leaf stands before `next`, from the hashes of its 16 leaves.
create or replace function archive_lowest_node(next bigint) returns bytea language plpgsql stable as $$
declare
	hashes bytea[];
begin
	select array_agg(leaf_hash order by leaf_index) into hashes from archive_leaves where leaf_index >= next - 16 and leaf_index < next;
	while cardinality(hashes) > 1 loop
		hashes := array(select sha256('\x01'::bytea || hashes[i] || hashes[i + 1]) from generate_series(1, cardinality(hashes), 2) i order by i);
	end loop;
	return hashes[1];
end $$;
