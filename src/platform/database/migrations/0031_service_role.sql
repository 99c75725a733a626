-- The service works under a role that may not change what is written once (grants are given by the code that migrates, since the role's name
-- is the operator's). What has to change all the same goes through functions that have their owner's rights and ask the rules themselves.
-- Functions, and triggers that wait for open transactions and take no time.

-- Whose row is whose decides what may be wiped, so it is settled when the row is written.
create function keep_belonging() returns trigger language plpgsql as $$
begin
	raise exception 'a row of % stays with its tenant and its environment', tg_table_name;
end $$;
create trigger companies_belonging before update of tenant_id, environment on companies for each row
	when (new.tenant_id is distinct from old.tenant_id or new.environment is distinct from old.environment)
	execute function keep_belonging();
create trigger invoices_belonging before update of doc_id, tenant_id on invoices for each row
	when (new.doc_id is distinct from old.doc_id or new.tenant_id is distinct from old.tenant_id)
	execute function keep_belonging();
create trigger sequence_voids_belonging before update of id, tenant_id on sequence_voids for each row
	when (new.id is distinct from old.id or new.tenant_id is distinct from old.tenant_id)
	execute function keep_belonging();

-- A tenant whose documents lie here already, as in an index that was made from the archive alone, gets no company that would be wiped; nor does one
-- of which the audit tells, whose company was another one.
create function keep_archived_tenant() returns trigger language plpgsql as $$
begin
	if exists (select 1 from archive_objects o where o.tenant_id = new.tenant_id)
		or exists (select 1 from audit a where a.tenant_id = new.tenant_id)
	then
		raise exception 'tenant % has archived documents or a past: it cannot become one of the public sandbox', new.tenant_id;
	end if;
	return new;
end $$;
create trigger companies_archived before insert on companies for each row
	when (new.environment = 'public-sandbox') execute function keep_archived_tenant();

create trigger signed_documents_never_truncated before truncate on signed_documents for each statement execute function refuse_change();
create trigger authority_answers_never_truncated before truncate on authority_answers for each statement execute function refuse_change();
create trigger sequence_void_answers_never_truncated before truncate on sequence_void_answers
	for each statement execute function refuse_change();

-- Deletes rows of a tenant of the public sandbox from a table that is written once, by their places in it. The table's own rule, which hears
-- of the tenant here, decides on each row; a table without such a rule is none that needs this. Nor is somebody else's table, a temporary one
-- among them: its triggers would run with the owner's rights.
create function wipe_written_once(wiped_tenant uuid, from_table text, places tid[]) returns bigint
language plpgsql security definer as $$
declare
	target regclass;
	deleted bigint;
begin
	if not exists (select 1 from companies c where c.tenant_id = wiped_tenant and c.environment = 'public-sandbox') then
		raise exception 'tenant % is none of the public sandbox: its rows are kept', wiped_tenant;
	end if;
	select t.tgrelid into target from pg_trigger t join pg_proc p on p.oid = t.tgfoid join pg_class c on c.oid = t.tgrelid
	where t.tgrelid = to_regclass(quote_ident(from_table)) and p.proname in ('refuse_change', 'keep_archive_object')
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

-- Rules, and functions with their owner's rights, look at the tables of this schema and never at a temporary one of the same name.
do $$
declare
	one text;
begin
	foreach one in array array[
		'refuse_change()', 'keep_archive_object()', 'keep_archive_proof()', 'is_of_wiped_tenant(jsonb)', 'keep_belonging()',
		'keep_archived_tenant()', 'wipe_written_once(uuid, text, tid[])'
	] loop
		execute format('alter function %s set search_path = %I, pg_temp', one, current_schema());
	end loop;
end $$;
