-- Keeps a lane from being taken over until the transaction ends. Returns for each shard, from the first element on, the
-- term in which the lane owns it, or null. SQLSTATE SL064: the lane has been taken over, and its owner must write nothing.
create or replace function hold_lane(held uuid, in_epoch int) returns int[] language plpgsql as $$
begin
	perform pg_advisory_xact_lock_shared(7301064, hashtext(held::text));
	if not exists (select from lanes l where l.lane = held and l.epoch = in_epoch) then
		raise exception 'lane % is no longer in epoch %', held, in_epoch using errcode = 'SL064';
	end if;
	return array(select case when s.lane = held then s.term end from shards s order by s.shard);
end $$;
