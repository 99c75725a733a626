-- A delivery that arrived is never made again.
create or replace function refuse_unsending() returns trigger language plpgsql as $$
begin
	if old.status = 'sent' then
		raise exception 'approval % was sent to the %: it stays so', old.approval_id, old.receiver;
	end if;
	return new;
end $$;
alter function refuse_unsending set search_path = public, pg_temp;
