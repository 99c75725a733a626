-- How often tenants have done what they may do so many times in an hour: one row for each tenant and policy, whatever the limit.
-- New table: no lock on anything, no time. Half of each page is left free, so that a count is written beside the one before it.
create table call_counts (
	subject_id uuid not null,
	policy text not null,
	-- The number of the latest slice of time, counted from 1970.
	slot bigint not null,
	-- A ring: the slice with number n is counted in place n modulo the ring's length.
	counts int[] not null,
	primary key (subject_id, policy)
) with (fillfactor = 50);
