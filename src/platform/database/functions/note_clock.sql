-- Keeps when the archive last read the database's clock, and since when it has advanced without a jump.
create or replace function note_clock(seen timestamptz, steady_since timestamptz) returns void language sql security definer as $$
	update deployment set clock_seen_at = seen, clock_steady_since = steady_since
$$;
alter function note_clock set search_path = public, pg_temp;
