create or replace function follow_archive_checkpoint() returns trigger language plpgsql as $$
declare
	newest archive_checkpoints;
begin
	select * into newest from archive_checkpoints order by number desc limit 1;
	if new.number <> coalesce(newest.number, 0) + 1
		or new.size < coalesce(newest.size, 0)
		or new.previous <> coalesce(sha256(convert_to(newest.note, 'UTF8')), decode(repeat('00', 32), 'hex'))
		or new.size <> (select sum(leaves) from unnest(new.sizes) leaves)
		or exists (select from unnest(new.sizes, newest.sizes) as trees (leaves, before) where leaves < before)
		or (new.size = newest.size and new.root <> newest.root)
	then
		raise exception 'archive checkpoint % does not follow %', new.number, coalesce(newest.number, 0);
	end if;
	return new;
end $$;
alter function follow_archive_checkpoint set search_path = public, pg_temp;
