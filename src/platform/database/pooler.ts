/** Behind a pooler, what belongs to a session elsewhere belongs to the login: its settings, given to it on a connection past the pooler. */
import { POOLED_SETTINGS, type Sql, type Tx } from "./connect";
import { LOCKS } from "./locks";
import { DatabaseRoleError } from "./rights";

/**
 * Gives the login its settings in this database, and returns remarks on connections of the pooler that are older. Throws:
 * DatabaseRoleError when the pooler leads elsewhere.
 */
export async function preparePooler(direct: Sql, pooled: Sql): Promise<string[]> {
	await direct.begin(setSettings);
	const [there, here] = [await readPlace(direct), await readPlace(pooled)];
	const differing = (["login", "database", "server"] as const).find((part) => there[part] !== here[part]);
	if (differing !== undefined)
		throw new DatabaseRoleError(
			`DATABASE_URL and DATABASE_DIRECT_URL must lead to the same database with the same login: the ${differing} differs`,
		);
	const names = Object.keys(POOLED_SETTINGS);
	const rows = await pooled<{ name: string; setting: string }[]>`
		select name, current_setting(name) as setting from unnest(${names}::text[]) name`;
	const wanted: Readonly<Record<string, string>> = POOLED_SETTINGS;
	const lacking = rows.filter(({ name, setting }) => setting !== wanted[name]).map(({ name }) => name);
	if (lacking.length === 0) return [];
	return [
		`the pooler's connections are older than settings of the login (${lacking.join(", ")}): let it connect anew, in PgBouncer with RECONNECT`,
	];
}

async function setSettings(tx: Tx): Promise<void> {
	// Other processes of this database may start at the same time.
	await tx`select pg_advisory_xact_lock(${LOCKS.serviceRole})`;
	const { login, database } = await readPlace(tx);
	const [row] = await tx<{ held: string[] }[]>`
		select s.setconfig as held from pg_db_role_setting s
			join pg_roles r on r.oid = s.setrole and r.rolname = ${login} join pg_database d on d.oid = s.setdatabase and d.datname = ${database}`;
	for (const [name, value] of Object.entries(POOLED_SETTINGS))
		if (row?.held.includes(`${name}=${value}`) !== true)
			await tx`alter role ${tx(login)} in database ${tx(database)} set ${tx(name)} to ${tx.unsafe(`'${value}'`)}`;
}

type Place = { readonly login: string; readonly database: string; readonly server: string };

async function readPlace(sql: Sql | Tx): Promise<Place> {
	const [row] = await sql<Place[]>`
		select session_user::text as login, current_database()::text as database, pg_postmaster_start_time()::text as server`;
	if (!row) throw new Error("expected a row without a table");
	return row;
}
