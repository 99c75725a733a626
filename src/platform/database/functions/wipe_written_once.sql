-- Deletes rows of a tenant of the public sandbox from a written-once table, by their row positions. The table's own trigger decides on each
-- row; a table without such a trigger is refused, and so is a table of another owner, whose triggers would run with the owner's rights.
create or replace function wipe_written_once(wiped_tenant uuid, from_table text, places tid[]) returns bigint
language plpgsql security definer as $$
declare
	target regclass;
	deleted bigint;
begin
	if not exists (select 1 from companies c where c.tenant_id = wiped_tenant and c.environment = 'public-sandbox') then
		raise exception 'tenant % is none of the public sandbox: its rows are kept', wiped_tenant;
	end if;
	select t.tgrelid into target from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
	where t.tgrelid = to_regclass(quote_ident(from_table)) and p.proname = 'refuse_change'
		and t.tgenabled = 'O' and pg_get_userbyid(c.relowner) = current_user
	limit 1;
	if target is null then
		raise exception 'table % is none that is written once', from_table;
	end if;
	perform set_config('sello.wiped_tenant', wiped_tenant::text, true);
	execute format('delete from %s where ctid = any($1)', target) using places;
	get diagnostics deleted = row_count;
	perform set_config('sello.wiped_tenant', '', true);
	return deleted;
end $$;
alter function wipe_written_once set search_path = public, pg_temp;
