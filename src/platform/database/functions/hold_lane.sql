-- The same as `held_terms` for writes that are wrong without the lane. SQLSTATE SL064: the lane was taken over.
create or replace function hold_lane(held uuid, in_epoch int) returns int[] language plpgsql as $$
declare
	terms int[] := held_terms(held, in_epoch);
begin
	if terms is null then
		raise exception 'lane % is no longer in epoch %', held, in_epoch using errcode = 'SL064';
	end if;
	return terms;
end $$;
