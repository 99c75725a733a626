-- Deletes rows of a tenant of the public sandbox from a written-once table: all of them, or those with one of these values in a column. The
-- table's own trigger decides on each row; a table without such a trigger is refused, and so is a table of another owner, whose triggers would
-- run with the owner's rights.
create or replace function wipe_written_once(wiped_tenant uuid, from_table text, id_column text, ids text[]) returns bigint
language plpgsql security definer as $$
declare
	target regclass;
	condition text := '';
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
	if id_column is not null then
		select format(' and %I = any($2::%s[])', a.attname, format_type(a.atttypid, null)) into strict condition
		from pg_attribute a where a.attrelid = target and a.attname = id_column;
	end if;
	perform set_config('sello.wiped_tenant', wiped_tenant::text, true);
	execute format('delete from %s where tenant_id = $1', target) || condition using wiped_tenant, ids;
	get diagnostics deleted = row_count;
	perform set_config('sello.wiped_tenant', '', true);
	return deleted;
end $$;
alter function wipe_written_once set search_path = public, pg_temp;
