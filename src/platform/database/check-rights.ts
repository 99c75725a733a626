/** What the role of a connection may do that the service must not, and what it lacks. */
import type { Sql } from "./connect";
import { readRights } from "./grant-rights";
import { rightsOn } from "./written-once";

export type RightsReport = {
	readonly user: string;
	/** With these the archive's tables could be changed; told as in "the role … has …". */
	readonly excess: readonly string[];
	/** Without these the service would fail. */
	readonly lacking: readonly string[];
	/** The login may leave the role for one that owns the tables. */
	readonly mayLeave: boolean;
};

/** Asked on a connection of the service's. */
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
