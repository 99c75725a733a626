/** The role under which the service works, where one login owns the tables: its name, and how connections take it from their start. */

import { createHash } from "node:crypto";
import type { Sql } from "./connect";
import { codeOf } from "./failure";
import { LOCKS } from "./locks";

/** The database cannot be used under the roles that were given; the message tells the operator what to do. */
export class DatabaseRoleError extends Error {
	constructor(sentence: string) {
		super(sentence);
		this.name = "DatabaseRoleError";
	}
}

// Source: PostgreSQL, Appendix A.
const INSUFFICIENT_PRIVILEGE = "42501";

/** PostgreSQL cuts longer names. */
const NAME_MAX = 63;

/** Roles belong to all databases of a server, so the role of one of them is named after it. */
export function serviceRoleOf(database: string): string {
	const plain = database.toLowerCase().replace(/[^a-z0-9_]/g, "_");
	const name = `sello_service_${plain}`;
	if (plain === database && name.length <= NAME_MAX) return name;
	const digest = createHash("sha256").update(database).digest("hex").slice(0, 8);
	return `${name.slice(0, NAME_MAX - digest.length - 1)}_${digest}`;
}

/**
 * The address of connections that have the role from their start, so that `reset role` leads back to it. Every client that reads
 * `options` in an address understands it; an empty space there is never a plus sign.
 */
export function withRole(url: string, role: string): string {
	const address = new URL(url);
	const options = [address.searchParams.get("options"), `-c role=${role}`].filter(Boolean).join(" ");
	address.searchParams.delete("options");
	const others = address.search.replace(/^\?/, "");
	address.search = [others, `options=${encodeURIComponent(options)}`].filter(Boolean).join("&");
	return address.href;
}

/** Who a connection is, and what it may do with the service's tables. */
export type Standing = {
	/** Whose rights its statements have. */
	readonly user: string;
	/** Who logged in. */
	readonly login: string;
	readonly database: string;
	/** The role of `serviceRoleOf` is there, and the connection may take it. */
	readonly mayServe: boolean;
	readonly mayMakeRoles: boolean;
	/** Makes tables, and has the rights of the owner of those that are there. */
	readonly mayMigrate: boolean;
	/** Who owns the tables that are there; null before the first migration. */
	readonly owner: string | null;
};

export async function readStanding(sql: Sql): Promise<Standing> {
	const [session] = await sql<{ user: string; login: string; database: string; isNew: boolean }[]>`
		select current_user::text as "user", session_user::text as login, current_database()::text as "database",
			current_setting('server_version_num')::int >= 160000 as "isNew"`;
	if (!session) throw new Error("expected a row without a table");
	const { user, login, database, isNew } = session;
	// Since version 16 a member may be one that cannot take the role, such as its maker.
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

/** Makes the role of a database, as far as the connection may; false when its login cannot take it in the end. */
export async function makeServiceRole(sql: Sql, standing: Standing): Promise<boolean> {
	if (standing.mayServe) return true;
	if (!standing.mayMakeRoles) return false;
	const role = serviceRoleOf(standing.database);
	try {
		await sql.begin(async (tx) => {
			// Others of this database start at the same time.
			await tx`select pg_advisory_xact_lock(${LOCKS.serviceRole})`;
			const found = await tx`select 1 from pg_roles where rolname = ${role}`;
			if (found.length === 0) await tx`create role ${tx(role)} nologin`;
			await tx`grant ${tx(role)} to ${tx(standing.login)}`;
		});
		return true;
	} catch (error) {
		// The role is somebody else's: since version 16 its maker alone may give it.
		if (codeOf(error) === INSUFFICIENT_PRIVILEGE) return false;
		throw error;
	}
}
