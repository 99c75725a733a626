/**
 * The rights of the service: its role, what is granted to it, and what a connection's role has too much or too little. Where one login owns
 * the tables, the service works under a role of its own.
 */

import { createHash } from "node:crypto";
import type { Sql, Tx } from "./connect";
import { codeOf } from "./failure";
import { LOCKS } from "./locks";
import { readDatabaseAddress, writeDatabaseAddress } from "./settings";

/** The database cannot be used with the given roles; the message says what to do. */
export class DatabaseRoleError extends Error {
	constructor(sentence: string) {
		super(sentence);
		this.name = "DatabaseRoleError";
	}
}

// Source: PostgreSQL, Appendix A.
const INSUFFICIENT_PRIVILEGE = "42501";

/** PostgreSQL truncates longer names. */
const NAME_MAX = 63;

/** Roles belong to all databases of a server, so the name includes the database. */
export function serviceRoleOf(database: string): string {
	const plain = database.toLowerCase().replace(/[^a-z0-9_]/g, "_");
	const name = `sello_service_${plain}`;
	if (plain === database && name.length <= NAME_MAX) return name;
	const digest = createHash("sha256").update(database).digest("hex").slice(0, 8);
	return `${name.slice(0, NAME_MAX - digest.length - 1)}_${digest}`;
}

/**
 * An address whose connections have the role from the start, so `reset role` leads back to it. Every client that reads `options` in an
 * address understands it; a space in it is never a plus sign.
 */
export function withRole(url: string, role: string): string {
	const { url: address, servers } = readDatabaseAddress(url);
	const options = [address.searchParams.get("options"), `-c role=${role}`].filter(Boolean).join(" ");
	address.searchParams.delete("options");
	const others = address.search.replace(/^\?/, "");
	address.search = [others, `options=${encodeURIComponent(options)}`].filter(Boolean).join("&");
	return writeDatabaseAddress({ url: address, servers });
}

/** The identity of a connection and what it may do with the service's tables. */
export type Standing = {
	/** The role whose rights its statements have. */
	readonly user: string;
	readonly login: string;
	readonly database: string;
	/** The role of `serviceRoleOf` exists, and the connection may take it. */
	readonly mayServe: boolean;
	readonly mayMakeRoles: boolean;
	/** It may create tables, and has the rights of the owner of the existing ones. */
	readonly mayMigrate: boolean;
	/** Owner of the existing tables; null before the first migration. */
	readonly owner: string | null;
};

export async function readStanding(sql: Sql): Promise<Standing> {
	const [session] = await sql<{ user: string; login: string; database: string; isNew: boolean }[]>`
		select current_user::text as "user", session_user::text as login, current_database()::text as "database",
			current_setting('server_version_num')::int >= 160000 as "isNew"`;
	if (!session) throw new Error("expected a row without a table");
	const { user, login, database, isNew } = session;
	// Since version 16 a member may lack the right to take the role, such as its creator.
	const taking = isNew ? "SET" : "MEMBER";
	const [row] = await sql<Pick<Standing, "mayServe" | "mayMakeRoles" | "mayMigrate" | "owner">[]>`
		select
			coalesce((select pg_has_role(session_user, r.oid, ${taking}) from pg_roles r where r.rolname = ${serviceRoleOf(database)}), false)
				as "mayServe",
			(select r.rolsuper or r.rolcreaterole from pg_roles r where r.rolname = current_user) as "mayMakeRoles",
			coalesce(has_schema_privilege(current_schema(), 'CREATE'), false) and coalesce(
				(select pg_has_role(t.relowner, 'USAGE') from pg_class t where t.oid = to_regclass('schema_migrations')), true
			) as "mayMigrate",
			(select pg_get_userbyid(t.relowner)::text from pg_class t where t.oid = to_regclass('schema_migrations')) as owner`;
	if (!row) throw new Error("expected a row without a table");
	return { user, login, database, ...row };
}

/** Creates the role of a database if the connection may; false when its login cannot take it in the end. */
export async function makeServiceRole(sql: Sql, standing: Standing): Promise<boolean> {
	if (standing.mayServe) return true;
	if (!standing.mayMakeRoles) return false;
	const role = serviceRoleOf(standing.database);
	try {
		await sql.begin(async (tx) => {
			// Other processes of this database may start at the same time.
			await tx`select pg_advisory_xact_lock(${LOCKS.serviceRole})`;
			const found = await tx`select 1 from pg_roles where rolname = ${role}`;
			if (found.length === 0) await tx`create role ${tx(role)} nologin`;
			await tx`grant ${tx(role)} to ${tx(standing.login)}`;
		});
		return true;
	} catch (error) {
		// The role belongs to another login: since version 16 only its creator may grant it.
		if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return false;
		throw error;
	}
}

/** Grants the service's role what it needs and revokes the rest; the owner of the tables runs it after the migrations. */

/** Rights of the role on the tables of the owner of `schema_migrations`, in the schema of the connection. */
export async function grantRights(sql: Sql, role: string): Promise<void> {
	await sql.begin(async (tx) => {
		await tx`select pg_advisory_xact_lock(${LOCKS.serviceRole})`;
		const { schema, owner } = await readSchema(tx);
		const name = (text: string) => `"${text.replaceAll('"', '""')}"`;
		const grantee = name(role);
		const statements = [`grant usage on schema ${name(schema)} to ${grantee}`];
		const closable = await tx`
			select 1 from pg_namespace n where n.nspname = ${schema}
				and has_schema_privilege(${role}, n.oid, 'CREATE') and pg_has_role(n.nspowner, 'USAGE')`;
		if (closable.length > 0) statements.push(`revoke create on schema ${name(schema)} from public, ${grantee}`);
		for (const [table, held] of await readRights(tx, role, owner)) {
			const wanted = rightsOn(table);
			const lacking = wanted.filter((right) => !held.includes(right));
			const excess = held.filter((right) => !wanted.includes(right));
			if (lacking.length > 0) statements.push(`grant ${lacking.join(", ")} on ${name(table)} to ${grantee}`);
			if (excess.length > 0) statements.push(`revoke ${excess.join(", ")} on ${name(table)} from public, ${grantee}`);
		}
		for (const sequence of await findClosedSequences(tx, role, owner))
			statements.push(`grant usage, select on sequence ${sequence} to ${grantee}`);
		// Functions that run with their owner's rights are for the service alone.
		for (const signature of await findOwnersFunctions(tx, role, owner)) {
			statements.push(`revoke execute on function ${signature} from public`);
			statements.push(`grant execute on function ${signature} to ${grantee}`);
		}
		// For tables of later migrations; written-once tables are revoked again afterwards.
		statements.push(
			`alter default privileges in schema ${name(schema)} grant select, insert, update, delete on tables to ${grantee}`,
			`alter default privileges in schema ${name(schema)} grant usage, select on sequences to ${grantee}`,
		);
		await tx.unsafe(statements.join(";\n"));
	});
}

async function readSchema(tx: Tx): Promise<{ schema: string; owner: string }> {
	const [row] = await tx<{ schema: string; owner: string }[]>`
		select n.nspname::text as schema, r.rolname::text as owner
		from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_roles r on r.oid = c.relowner
		where c.oid = 'schema_migrations'::regclass`;
	if (!row) throw new Error("expected the table schema_migrations");
	return row;
}

/** What a role may do with each table of an owner in this schema; a right on a column counts as a right on the table. */
export async function readRights(sql: Sql | Tx, role: string, owner: string): Promise<Map<string, TableRight[]>> {
	const rows = await sql<{ table: string; held: TableRight[] }[]>`
		select c.relname::text as "table", array(
			select p from unnest(${[...TABLE_RIGHTS]}::text[]) p
			where case when p in ('SELECT', 'INSERT', 'UPDATE', 'REFERENCES')
				then has_table_privilege(${role}, c.oid, p) or has_any_column_privilege(${role}, c.oid, p)
				else has_table_privilege(${role}, c.oid, p) end
		) as held
		from pg_class c join pg_roles r on r.oid = c.relowner
		where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and r.rolname = ${owner}
		order by 1`;
	return new Map(rows.map(({ table, held }) => [table, held]));
}

async function findClosedSequences(tx: Tx, role: string, owner: string): Promise<string[]> {
	const rows = await tx<{ name: string }[]>`
		select c.oid::regclass::text as name from pg_class c
		where c.relnamespace = current_schema()::regnamespace and c.relkind = 'S' and pg_get_userbyid(c.relowner) = ${owner}
			and not (has_sequence_privilege(${role}, c.oid, 'USAGE') and has_sequence_privilege(${role}, c.oid, 'SELECT'))
		order by 1`;
	return rows.map(({ name }) => name);
}

/** Functions that everyone may call, or that the role may not. */
async function findOwnersFunctions(tx: Tx, role: string, owner: string): Promise<string[]> {
	const rows = await tx<{ signature: string }[]>`
		select p.oid::regprocedure::text as signature from pg_proc p
		where p.pronamespace = current_schema()::regnamespace and p.prosecdef and pg_get_userbyid(p.proowner) = ${owner}
			and (p.proacl is null or exists (select 1 from aclexplode(p.proacl) a where a.grantee = 0)
				or not has_function_privilege(${role}, p.oid, 'EXECUTE'))
		order by 1`;
	return rows.map(({ signature }) => signature);
}

/** What the role of a connection may do that the service must not, and what it lacks. */

export type RightsReport = {
	readonly user: string;
	/** With these the archive's tables could be changed; used in "the role … has …". */
	readonly excess: readonly string[];
	/** Without these the service would fail. */
	readonly lacking: readonly string[];
	/** The login may switch from the role to one that owns the tables. */
	readonly mayLeave: boolean;
};

/** Runs on a connection of the service. */
export async function checkRights(sql: Sql): Promise<RightsReport> {
	const [row] = await sql<
		{ user: string; owner: string | null; mayLeave: boolean; attributes: string[]; memberships: string[] }[]
	>`
		select r.rolname::text as "user", o.rolname::text as owner,
			coalesce(session_user <> current_user and pg_has_role(session_user, o.oid, 'MEMBER'), false) as "mayLeave",
			array_remove(array[
				case when r.rolsuper then 'SUPERUSER' end,
				case when r.rolcreaterole then 'CREATEROLE' end,
				case when r.rolreplication then 'REPLICATION' end,
				case when r.rolbypassrls then 'BYPASSRLS' end,
				case when has_schema_privilege(current_schema(), 'CREATE') then 'CREATE in the schema' end,
				case when pg_has_role(n.nspowner, 'MEMBER') then 'ownership of the schema' end,
				case when pg_has_role(d.datdba, 'MEMBER') then 'ownership of the database' end,
				case when pg_has_role(o.oid, 'MEMBER') then 'ownership of the tables' end,
				case when has_parameter_privilege('session_replication_role', 'SET') then 'SET of session_replication_role' end
			], null) as attributes,
			array(
				select 'membership in ' || m.rolname from pg_roles m
				where m.rolname in ('pg_write_all_data', 'pg_write_server_files', 'pg_execute_server_program')
					and pg_has_role(m.oid, 'MEMBER')
			) as memberships
		from pg_roles r
		join pg_database d on d.datname = current_database()
		left join pg_namespace n on n.nspname = current_schema()
		left join pg_class t on t.oid = to_regclass('schema_migrations')
		left join pg_roles o on o.oid = t.relowner
		where r.rolname = current_user`;
	if (!row) throw new Error("expected the connection to have a role");
	const { user, owner, mayLeave } = row;
	if (owner === null) return { user, excess: [], lacking: ["the table schema_migrations"], mayLeave };
	const tables = [...(await readRights(sql, user, owner))];
	const excess = tables.flatMap(([table, held]) =>
		held.filter((right) => !rightsOn(table).includes(right)).map((right) => `${right} on ${table}`),
	);
	const lacking = tables.flatMap(([table, held]) =>
		rightsOn(table)
			.filter((right) => !held.includes(right))
			.map((right) => `${right} on ${table}`),
	);
	return { user, excess: [...row.attributes, ...row.memberships, ...excess], lacking, mayLeave };
}

/** The most connections that the server allows this login in this database, including those of others. */
export async function countAllowed(sql: Sql): Promise<number> {
	// PostgreSQL 15 has no `reserved_connections`; a limit of -1 means none.
	const [row] = await sql<{ allowed: number }[]>`
		select least(
			current_setting('max_connections')::int
				- current_setting('superuser_reserved_connections')::int
				- coalesce(current_setting('reserved_connections', true), '0')::int,
			(select nullif(rolconnlimit, -1) from pg_roles where rolname = session_user),
			(select nullif(datconnlimit, -1) from pg_database where datname = current_database())) as allowed`;
	return row?.allowed ?? 0;
}

/**
 * Tables whose rows are written once: the service's role may only read and insert. Triggers enforce the same for everyone. A test fails for
 * a table with such a trigger that is not listed here.
 */
export const WRITTEN_ONCE: readonly string[] = [
	"seals",
	"tree_blocks",
	"tree_nodes",
	"archive_keys",
	"archive_checkpoints",
	"documents",
	"papers",
	"steps",
	"verdicts",
	"events",
	"sequence_void_steps",
	"buyer_papers",
	"received_documents",
	"received_papers",
	"approvals",
	"approval_papers",
	"audit",
];

/** Tables to which the service adds rows that only the tables' owner may change. */
const OWNERS: readonly string[] = ["deployment", "seal_chains"];

/** Tables that only migrations and functions of the tables' owner write. */
const READ_ONLY: readonly string[] = ["schema_migrations", "archive_removals"];

/** Names of partitions. The service reaches their rows through the table. */
const PARTITION = /_(default|slot_\d|\d{4}_\d\d(_\d\d)?)$/;

/** Everything that can be granted on a table in every version of PostgreSQL. */
const TABLE_RIGHTS = ["SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"] as const;
type TableRight = (typeof TABLE_RIGHTS)[number];

/** What the service may do with a table; everything else is too much. */
function rightsOn(table: string): readonly TableRight[] {
	if (PARTITION.test(table)) return [];
	if (READ_ONLY.includes(table)) return ["SELECT"];
	if (WRITTEN_ONCE.includes(table) || OWNERS.includes(table)) return ["SELECT", "INSERT"];
	return ["SELECT", "INSERT", "UPDATE", "DELETE"];
}
