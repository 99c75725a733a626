-- The number of the first checkpoint, of a key if it is named, with more than so many leaves in the tree of a shard. Trees only grow, so the search halves the range.
create or replace function find_covering_checkpoint(of_key text, of_shard int, leaf bigint) returns bigint language plpgsql stable as $$
declare
	first bigint;
	last bigint;
	middle bigint;
begin
	select min(number), max(number) into first, last from archive_checkpoints where of_key is null or key_name = of_key;
	while first < last loop
		middle := (first + last) / 2;
		if (select sizes[of_shard + 1] > leaf from archive_checkpoints where number = middle) then
			last := middle;
		else
			first := middle + 1;
		end if;
	end loop;
	return (select number from archive_checkpoints where number = first and sizes[of_shard + 1] > leaf);
end $$;
