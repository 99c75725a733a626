import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Sql } from "./connect";
import { codeOf } from "./failure";
import { LOCKS } from "./locks";

/** A newer version of the code has written the database. */
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

/** This version of the code has not migrated the database yet. */
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

/** Polls, because a waiting statement would time out and would hold a snapshot of the database meanwhile. */
const LOCK_LOOK_MS = 50;
/** Processes that start together wait this long for each other before it is reported. */
const REPORT_AFTER_MS = 5_000;

const DIRECTORY = join(import.meta.dir, "migrations");

/** Applies the missing migrations in order. Throws: DatabaseTooNewError, DatabaseInUseError. */
export async function migrate(
	sql: Sql,
	{
		directory = DIRECTORY,
		report = () => undefined,
	}: { readonly directory?: string; readonly report?: ReportWait } = {},
): Promise<number> {
	const migrations = readMigrations(directory);
	const newest = findNewest(migrations);
	const connection = await sql.reserve();
	try {
		await takeLock(connection, report);
		await connection`
			create table if not exists schema_migrations (
				number int primary key, name text not null, applied_at timestamptz not null default now()
			)`;
		const at = await findApplied(connection);
		refuseNewer(newest, at);
		for (const migration of migrations.filter((m) => m.number > at)) await applyWhenFree(connection, migration, report);
		return newest;
	} finally {
		// The lock belongs to the session; a broken connection has released it already.
		await connection`select pg_advisory_unlock(${LOCKS.migrations})`.catch(() => undefined);
		connection.release();
	}
}

/** Waits for as long as another start migrates. */
async function takeLock(connection: Sql, report: ReportWait): Promise<void> {
	const reportAt = performance.now() + REPORT_AFTER_MS;
	for (let isReported = false; ; ) {
		const [row] = await connection<{ isMine: boolean }[]>`select pg_try_advisory_lock(${LOCKS.migrations}) as "isMine"`;
		if (row?.isMine) return;
		if (!isReported && performance.now() > reportAt) {
			report({}, "another process is migrating the database; waiting");
			isReported = true;
		}
		await Bun.sleep(LOCK_LOOK_MS);
	}
}

/** Number of the newest migration in the database; 0 without any. */
export async function findApplied(sql: Sql): Promise<number> {
	const [row] = await sql<{ at: number }[]>`select coalesce(max(number), 0)::int as at from schema_migrations`;
	return row?.at ?? 0;
}

/** Throws: DatabaseTooNewError. */
export function refuseNewer(newest: number, at: number): void {
	if (at > newest) throw new DatabaseTooNewError(newest, at);
}

/** For programs that use a database without migrating it. Throws: DatabaseTooNewError, DatabaseTooOldError. */
export async function checkMigrated(sql: Sql): Promise<void> {
	const [row] = await sql<{ isThere: boolean }[]>`select to_regclass('schema_migrations') is not null as "isThere"`;
	const at = row?.isThere ? await findApplied(sql) : 0;
	const newest = findNewest();
	refuseNewer(newest, at);
	if (at < newest) throw new DatabaseTooOldError(newest, at);
}

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

/**
 * Applies a migration while others use its tables.
 *
 * A statement that waits for a table's lock makes all later ones wait behind it, and a dump holds a table for its whole duration. So a
 * migration waits briefly, lets others through, and tries again.
 */

type Migration = { readonly number: number; readonly name: string; readonly text: string };

/** Reports what a start waits for: a sentence and its details. */
export type ReportWait = (details: object, sentence: string) => void;

/** A table that a migration changes was in use for the whole time. */
export class DatabaseInUseError extends Error {
	constructor({ number, name }: Migration, user: TableUser | undefined) {
		const by =
			user && `, perhaps by process ${user.pid} of the database${user.application ? ` (${user.application})` : ""}`;
		super(
			`migration ${number} (${name}) waited a quarter of an hour for a table that is in use${by ?? ""}: start again when that has ended`,
		);
		this.name = "DatabaseInUseError";
	}
}

/** How long one try may delay other requests, and the pause between two tries. */
const LOCK_WAIT_MS = 2_000;
const LOCK_PAUSE_MS = 2_000;
/** Longer than most dumps take. */
const LOCK_TRIES_MS = 900_000;
/** A lock that was not available, or a deadlock. Source: PostgreSQL, appendix A. */
const NOT_FREE = ["55P03", "40P01"];

/** In one transaction with its own record. Reports once what it waits for. Throws: DatabaseInUseError. */
export async function applyWhenFree(
	connection: Sql,
	migration: Migration,
	report: ReportWait,
	triesMs = LOCK_TRIES_MS,
): Promise<void> {
	const giveUpAt = performance.now() + triesMs;
	for (let tries = 1; ; tries++) {
		try {
			await apply(connection, migration);
			return;
		} catch (error) {
			if (!NOT_FREE.includes(codeOf(error))) throw error;
			const user = await findUser(connection);
			if (performance.now() > giveUpAt) throw new DatabaseInUseError(migration, user);
			if (tries === 1) {
				const details = { migration: migration.number, ...(user ? { perhapsBy: user } : {}) };
				report(details, "a migration waits for a table in use, for example by a dump");
			}
			await Bun.sleep(LOCK_PAUSE_MS);
		}
	}
}

async function apply(connection: Sql, { number, name, text }: Migration): Promise<void> {
	await connection`begin`;
	try {
		await connection`select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true)`;
		await connection`insert into schema_migrations (number, name) values (${number}, ${name})`;
		await connection.unsafe(text);
		await connection`commit`;
	} catch (error) {
		await connection`rollback`;
		throw error;
	}
}

type TableUser = { readonly pid: number; readonly application: string; readonly since: Date };

/**
 * The session with the oldest transaction on such a table, most likely the cause. Undefined where the server does not show this login other
 * sessions.
 */
async function findUser(connection: Sql): Promise<TableUser | undefined> {
	try {
		const [user] = await connection<TableUser[]>`
			select pid, application_name as application, xact_start as since from pg_stat_activity
			where pid in (
				select pid from pg_locks
				where locktype = 'relation' and granted and database = (select oid from pg_database where datname = current_database())
			) and pid <> pg_backend_pid() and backend_type = 'client backend' and xact_start is not null
			order by xact_start limit 1`;
		return user;
	} catch {
		// Some servers hide other sessions; then the report is less specific. A broken connection shows at the next try.
		return undefined;
	}
}
