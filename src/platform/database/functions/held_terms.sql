-- Keeps a lane from being taken over, and its shards from being given up, until the transaction ends. Returns for each
-- shard, from the first element on, the term in which the lane owns it, or null; null for a lane that was taken over.
create or replace function held_terms(held uuid, in_epoch int) returns int[] language plpgsql as $$
begin
	perform pg_advisory_xact_lock_shared(7301064, hashtext(held::text));
	if not exists (select from lanes l where l.lane = held and l.epoch = in_epoch) then
		return null;
	end if;
	return array(select case when s.lane = held then s.term end from shards s order by s.shard);
end $$;
