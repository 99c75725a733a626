/**
 * SQL attempts through the service's login: overwriting, shortening or deleting write-once rows, or gaining the right to.
 *
 * Each text is sent unchanged on a dedicated connection. All must fail, and the rows stay as they were. Requires a login that does not own
 * the
 * tables, and a database other than the public sandbox's with an archived document.
 */
export type SqlAttempt = { readonly name: string; readonly sql: string };

/** Write-once tables, with a column of each. */
export const TARGETS: Readonly<Record<string, string>> = {
	seals: "sha256",
	tree_blocks: "hashes",
	tree_nodes: "hash",
	archive_keys: "public_key",
	archive_checkpoints: "note",
	documents: "encf",
	papers: "body",
	steps: "body",
	verdicts: "status",
	events: "body",
	sequence_void_steps: "body",
	approvals: "decision",
	approval_papers: "body",
	received_documents: "sha256",
	received_papers: "xml",
	buyer_papers: "acknowledgement",
	audit: "details",
};

/** Attempts on one table, with or without rows. */
export function attemptsOn(table: string, column: string): SqlAttempt[] {
	const named = (what: string, sql: string) => ({ name: `${what} ${table}`, sql });
	return [
		named("overwrite", `update ${table} set ${column} = ${column}`),
		named("delete from", `delete from ${table}`),
		named("truncate", `truncate ${table}`),
		named("truncate, with all that refers to it,", `truncate ${table} cascade`),
		named("delete in a query of", `with gone as (delete from ${table} returning 1) select count(*) from gone`),
		named("merge away", `merge into ${table} t using (select 1) one on true when matched then delete`),
		named("lock for changing", `select 1 from ${table} for update`),
		named("switch off the triggers of", `alter table ${table} disable trigger all`),
		named("drop", `drop table ${table} cascade`),
		named("rename", `alter table ${table} rename to elsewhere`),
		named("take", `alter table ${table} owner to current_user`),
		named("drop a column of", `alter table ${table} drop column ${column} cascade`),
		named("empty a column of", `alter table ${table} alter column ${column} type text using null`),
		named("rewrite inserts into", `create rule nothing as on insert to ${table} do instead nothing`),
		named("hide the rows of", `alter table ${table} enable row level security`),
		named(
			"grant oneself changes of",
			`grant update, delete, truncate on ${table} to current_user; delete from ${table}`,
		),
	];
}

const OWNER = "(select tableowner from pg_tables where tablename = 'seals')";

/** A text in which `%s` is the owner's name. */
const asOwner = (text: string) => `do $$ begin execute format('${text.replaceAll("'", "''")}', ${OWNER}); end $$`;

const SHORTEN: Readonly<Record<string, string>> = {
	"shorten by a second": "update seals set retain_until = retain_until - interval '1 second'",
	"shorten to the shortest": "update seals set retain_until = decided_at + interval '1 second'",
	"shorten to now": "update seals set retain_until = now() where retain_until > now()",
	"forget the date": "update seals set retain_until = null",
	"lengthen without the function": "update seals set retain_until = retain_until + interval '1 year'",
	"change the digest along with a later date":
		"update seals set retain_until = retain_until + interval '1 day', sha256 = sha256('x')",
	"point to another object": "update seals set doc_id = gen_random_uuid()",
	"overwrite by a conflict":
		"insert into seals select * from seals on conflict (tenant_id, doc_id, n) do update set bytes = 1",
	"merge other bytes": "merge into seals t using seals s on t.doc_id = s.doc_id when matched then update set bytes = 1",
	"another block under a number": "insert into tree_blocks select * from tree_blocks limit 1",
	"a second object under a key": "insert into seals select * from seals limit 1",
};

const INDIRECT: Readonly<Record<string, string>> = {
	"delete in a block": "do $$ begin execute 'delete from ' || 'seals'; end $$",
	"delete by a prepared statement": "prepare gone as delete from seals; execute gone",
	"delete by a cursor":
		"do $$ declare c cursor for select 1 from seals for update; begin for r in c loop delete from seals where current of c; end loop; end $$",
	"delete through a view": "create temp view seen as select * from seals; delete from seen",
	"delete by a function of one's own":
		"create function pg_temp.gone() returns void language sql as 'delete from seals'; select pg_temp.gone()",
	"delete by a function with its owner's rights":
		"create function pg_temp.gone() returns void language sql security definer as 'delete from seals'; select pg_temp.gone()",
	"delete from the copy's original": "create temp table seals as select * from public.seals; delete from public.seals",
	"make a function in the schema": "create function public.gone() returns void language sql as 'delete from seals'",
	"replace a rule":
		"create or replace function public.keep_seal() returns trigger language plpgsql as 'begin return old; end'",
	"alter a rule": "alter function public.keep_seal() security definer",
	"drop a rule": "drop function public.refuse_change() cascade",
	"drop a trigger": "drop trigger seals_kept on seals",
	"switch off a trigger": "alter table seals disable trigger seals_kept",
	"rename a trigger": "alter trigger seals_kept on seals rename to gone",
	"a trigger that comes first":
		"create function pg_temp.pass() returns trigger language plpgsql as 'begin return old; end'; create trigger a before delete on seals for each row execute function pg_temp.pass()",
	"a cascade from a table of one's own": "create temp table mine (k int references archive_keys on delete cascade)",
	"a child of the table": "create temp table mine () inherits (seals)",
	"drop a constraint": "alter table seals drop constraint seals_pkey cascade",
	"move to another schema": "alter table seals set schema pg_temp",
	"keep out of the log": "alter table seals set unlogged",
	"a policy": "create policy no_one on seals using (false)",
	"an index": "create unique index on seals (tenant_id)",
	"write the rows anew": "cluster seals using seals_pkey",
	"a comment": "comment on table seals is null",
	"number answers again": "select setval(pg_get_serial_sequence('sequence_void_steps', 'n'), 1)",
	"forget a migration": "delete from schema_migrations",
	"add a migration": "insert into schema_migrations (number, name, fingerprint) values (9999, 'gone', '')",
};

const WIPES: Readonly<Record<string, string>> = {
	"name the tenant as wiped":
		"select set_config('sello.wiped_tenant', tenant_id::text, false) from seals limit 1; delete from seals",
	"name the object as swept":
		"select set_config('sello.swept_object', doc_id || '/' || n, false) from seals limit 1; delete from seals",
	"wipe a tenant of another environment": `select wipe_written_once(tenant_id, 'seals', null, null) from seals`,
	"wipe no tenant": `select wipe_written_once(null, 'seals', null, null)`,
	"wipe with more in the table's name": `select wipe_written_once(tenant_id, 'seals; drop table seals', null, null) from seals`,
	"move the company to the public sandbox": `update companies set environment = 'public-sandbox'; select wipe_written_once(tenant_id, 'seals', null, null) from seals`,
	"wipe behind another table of companies": `create temp table companies as select * from public.companies; update pg_temp.companies set environment = 'public-sandbox'; select wipe_written_once(tenant_id, 'seals', null, null) from seals`,
	"wipe a table of one's own, whose trigger would run with the owner's rights": `
		create temp table mine (n int); insert into mine values (1); grant all on mine to public;
		create function pg_temp.refuse_change() returns trigger language plpgsql as
			'begin alter table seals disable trigger all; delete from seals; return old; end';
		create trigger mine_kept before delete on mine for each row execute function pg_temp.refuse_change();
		insert into companies select (jsonb_populate_record(c, jsonb_build_object(
			'tenant_id', '00000000-0000-4000-8000-000000000001', 'environment', 'public-sandbox', 'rnc', '000'))).* from companies c limit 1;
		select wipe_written_once('00000000-0000-4000-8000-000000000001', 'mine', null, null)`,
	"register a company without documents again, in the public sandbox, and wipe its audit": `
		insert into companies select (jsonb_populate_record(c, jsonb_build_object(
			'tenant_id', '00000000-0000-4000-8000-000000000002', 'rnc', '001'))).* from companies c where environment <> 'public-sandbox' limit 1;
		insert into audit (id, at, tenant_id, address, action, subject, details)
			values (gen_random_uuid(), now(), '00000000-0000-4000-8000-000000000002', '127.0.0.1', 'company.create', 'x', '{}');
		delete from companies where tenant_id = '00000000-0000-4000-8000-000000000002';
		insert into companies select (jsonb_populate_record(c, jsonb_build_object(
			'tenant_id', '00000000-0000-4000-8000-000000000002', 'environment', 'public-sandbox', 'rnc', '001'))).* from companies c limit 1;
		select wipe_written_once('00000000-0000-4000-8000-000000000002', 'audit', null, null)`,
	"register the company again":
		"delete from companies where tenant_id in (select tenant_id from seals); insert into companies select * from companies",
	"a company of the public sandbox for an archived tenant":
		"insert into companies select (jsonb_populate_record(c, jsonb_build_object('environment', 'public-sandbox', 'rnc', '000'))).* from companies c where tenant_id in (select tenant_id from seals)",
	"give the documents to another tenant": "update documents set tenant_id = gen_random_uuid()",
	"give the documents another id": "update documents set doc_id = gen_random_uuid()",
	"delete the documents below the archive": "delete from documents",
	"delete the companies below the archive": "delete from companies",
};

const RIGHTS: Readonly<Record<string, string>> = {
	"reset the role": "reset role; delete from seals",
	"no role": "set role none; delete from seals",
	"reset the session's authorization": "reset session authorization; delete from seals",
	"take the owner's role": asOwner("set role %I"),
	"take the owner's role by its setting": `select set_config('role', ${OWNER}, false)`,
	"take the owner's session": asOwner("set session authorization %I"),
	"become a member of the owner": asOwner("grant %I to current_user"),
	"take what the owner has": asOwner("reassign owned by %I to current_user"),
	"drop what the owner has": asOwner("drop owned by %I cascade"),
	"the owner's later tables": asOwner("alter default privileges for role %I grant all on tables to current_user"),
	"another password for the owner": asOwner("alter role %I password 'x'"),
	"be a superuser": "alter role current_user superuser",
	"pass over rows' rules": "alter role current_user bypassrls",
	"make a superuser": "create role another superuser login",
	"be one who writes everything": "grant pg_write_all_data to current_user",
	"be one who runs programs": "grant pg_execute_server_program to current_user",
	"be a replica": "set session_replication_role = replica",
	"be a replica by the setting": "select set_config('session_replication_role', 'replica', false)",
	"be a replica from the next connection on": "alter role current_user set session_replication_role = replica",
	"make all replicas":
		"do $$ begin execute format('alter database %I set session_replication_role = replica', current_database()); end $$",
	"take the database":
		"do $$ begin execute format('alter database %I owner to current_user', current_database()); end $$",
	"take the schema": "alter schema public owner to current_user",
	"drop the schema": "drop schema public cascade",
	"make a schema": "create schema mine",
	"make a table": "create table public.mine (n int)",
	"change the server": "alter system set fsync = off",
	"an event trigger":
		"create function pg_temp.pass() returns event_trigger language plpgsql as 'begin end'; create event trigger mine on ddl_command_start execute function pg_temp.pass()",
};

const CATALOGUE: Readonly<Record<string, string>> = {
	"switch off triggers in the catalogue": "update pg_trigger set tgenabled = 'D'",
	"delete triggers in the catalogue": "delete from pg_trigger",
	"own the tables in the catalogue":
		"update pg_class set relowner = (select oid from pg_roles where rolname = current_user)",
	"grant in the catalogue": "update pg_class set relacl = null",
	"be a superuser in the catalogue": "update pg_authid set rolsuper = true",
	"be a member in the catalogue": "insert into pg_auth_members select * from pg_auth_members",
	"change a rule in the catalogue": "update pg_proc set prosrc = 'begin return old; end'",
	"change the catalogue's own rule": "set allow_system_table_mods = on; delete from pg_class",
};

const FILES: Readonly<Record<string, string>> = {
	"copy from a program": "copy seals from program 'true'",
	"copy to a program": "copy seals to program 'true'",
	"copy over a file": "copy (select 1) to '/tmp/sello-attempt'",
	"copy from a file": "copy seals from '/dev/null'",
	"a large object from a file": "select lo_import('/etc/hostname')",
	"a large object over a file": "select lo_export(lo_from_bytea(0, 'x'), '/tmp/sello-attempt')",
	"read a file": "select pg_read_file('PG_VERSION')",
	"list the server's files": "select pg_ls_dir('base')",
	"load a library": "load '/tmp/sello-attempt.so'",
	"a function in C":
		"create function pg_temp.run(text) returns int language c as '/lib/x86_64-linux-gnu/libc.so.6', 'system'",
	"an extension": "create extension plpgsql schema pg_temp version '0'",
	"another server": "create foreign data wrapper mine",
	"a publication of all tables": "create publication mine for all tables",
	"read the server's configuration anew": "select pg_reload_conf()",
};

/** Attempts in addition to those on each table. */
export const ATTEMPTS: readonly SqlAttempt[] = [SHORTEN, INDIRECT, WIPES, RIGHTS, CATALOGUE, FILES].flatMap((group) =>
	Object.entries(group).map(([name, sql]) => ({ name, sql })),
);
