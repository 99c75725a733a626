import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { applyWhenFree, type Migration, type TellWait } from "./apply-when-free";
import type { Sql } from "./connect";
import { LOCKS } from "./locks";

/** The database was written by a newer version of the code. */
export class DatabaseTooNewError extends Error {
	constructor(
		readonly expected: number,
		readonly got: number,
	) {
		super(
			`the database is at migration ${got}, this code knows ${expected}: start the newer version, or restore a backup`,
		);
		this.name = "DatabaseTooNewError";
	}
}

/** The database was not migrated by this version of the code yet. */
export class DatabaseTooOldError extends Error {
	constructor(
		readonly expected: number,
		readonly got: number,
	) {
		super(
			`the database is at migration ${got}, this code needs ${expected}: start the service of this version first, which migrates it`,
		);
		this.name = "DatabaseTooOldError";
	}
}

/** Without a statement that waits: the server would end it, and it would keep a snapshot of the database meanwhile. */
const LOCK_LOOK_MS = 50;
/** Processes that start together wait this long for each other, and nobody wonders. */
const TELL_AFTER_MS = 5_000;

const DIRECTORY = join(import.meta.dir, "migrations");

/** Applies what is missing, in order. Throws: DatabaseTooNewError, DatabaseInUseError. */
export async function migrate(
	sql: Sql,
	{ directory = DIRECTORY, tell = () => undefined }: { readonly directory?: string; readonly tell?: TellWait } = {},
): Promise<number> {
	const migrations = readMigrations(directory);
	const newest = findNewest(migrations);
	const connection = await sql.reserve();
	try {
		await takeTurn(connection, tell);
		await connection`
			create table if not exists schema_migrations (
				number int primary key, name text not null, applied_at timestamptz not null default now()
			)`;
		const at = await findApplied(connection);
		refuseNewer(newest, at);
		for (const migration of migrations.filter((m) => m.number > at)) await applyWhenFree(connection, migration, tell);
		return newest;
	} finally {
		// The lock belongs to the session; a broken connection has released it already.
		await connection`select pg_advisory_unlock(${LOCKS.migrations})`.catch(() => undefined);
		connection.release();
	}
}

/** However long another start migrates. */
async function takeTurn(connection: Sql, tell: TellWait): Promise<void> {
	const tellAt = performance.now() + TELL_AFTER_MS;
	for (let isTold = false; ; ) {
		const [row] = await connection<{ isMine: boolean }[]>`select pg_try_advisory_lock(${LOCKS.migrations}) as "isMine"`;
		if (row?.isMine) return;
		if (!isTold && performance.now() > tellAt) {
			tell({}, "another start migrates the database, and is waited for");
			isTold = true;
		}
		await Bun.sleep(LOCK_LOOK_MS);
	}
}

/** Number of the newest migration that the database has; 0 without any. */
export async function findApplied(sql: Sql): Promise<number> {
	const [row] = await sql<{ at: number }[]>`select coalesce(max(number), 0)::int as at from schema_migrations`;
	return row?.at ?? 0;
}

/** Throws: DatabaseTooNewError. */
export function refuseNewer(newest: number, at: number): void {
	if (at > newest) throw new DatabaseTooNewError(newest, at);
}

/** For what works on a database and migrates nothing. Throws: DatabaseTooNewError, DatabaseTooOldError. */
export async function checkMigrated(sql: Sql): Promise<void> {
	const [row] = await sql<{ isThere: boolean }[]>`select to_regclass('schema_migrations') is not null as "isThere"`;
	const at = row?.isThere ? await findApplied(sql) : 0;
	const newest = findNewest();
	refuseNewer(newest, at);
	if (at < newest) throw new DatabaseTooOldError(newest, at);
}

/** Number of the newest migration that this code knows. */
export function findNewest(migrations: readonly Migration[] = readMigrations(DIRECTORY)): number {
	return migrations[migrations.length - 1]?.number ?? 0;
}

function readMigrations(directory: string): Migration[] {
	return readdirSync(directory)
		.filter((file) => /^\d{4}_[a-z_]+\.sql$/.test(file))
		.sort()
		.map((file) => ({
			number: Number(file.slice(0, 4)),
			name: file.slice(5, -4),
			text: readFileSync(join(directory, file), "utf8"),
		}));
}

/** Refuses a server that could lose what it has confirmed. */
export async function checkDurability(sql: Sql): Promise<void> {
	const rows = await sql<{ name: string; setting: string }[]>`
		select name, setting from pg_settings where name in ('fsync', 'synchronous_commit', 'full_page_writes')`;
	const off = rows.filter((row) => row.setting === "off").map((row) => row.name);
	if (off.length > 0)
		throw new Error(`the database runs with ${off.join(", ")} off, so a confirmed invoice could be lost`);
}
