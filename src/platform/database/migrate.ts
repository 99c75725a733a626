import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Engine, toCitus } from "./citus";
import type { Sql } from "./connect";
import { codeOf } from "./failure";
import { LOCKS } from "./locks";

/** The database was made from other schema files; the message says what to do. */
export class DatabaseBaselineError extends Error {
	constructor() {
		super(
			"the database was made from other schema files, and before the first release none is upgraded: start on an empty database (embedded: remove DATA_DIR/postgres), then rebuild its documents with `bun run admin archive restore`",
		);
		this.name = "DatabaseBaselineError";
	}
}

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

type MigrateOptions = { readonly directory?: string; readonly engine?: Engine; readonly report?: ReportWait };

/** Applies what is missing, in order. Throws: DatabaseBaselineError, DatabaseTooNewError, DatabaseInUseError. */
export async function migrate(
	sql: Sql,
	{ directory, engine = "postgres", report = () => undefined }: MigrateOptions = {},
): Promise<number> {
	const { functions: plain, migrations } = readSchema(directory);
	const functions = engine === "citus" ? toMigration(plain.number, plain.name, toCitus(plain.text)) : plain;
	const newest = findNewest(migrations);
	const connection = await sql.reserve();
	try {
		await takeLock(connection, report);
		await connection`
			create table if not exists schema_migrations (
				number int primary key, name text not null, fingerprint text not null, applied_at timestamptz not null default now()
			)`;
		const at = await findApplied(connection, migrations);
		refuseNewer(newest, at);
		const missing = migrations.filter(({ number }) => number > at);
		for (const migration of missing) await applyWhenFree(connection, migration, report);
		const known = await connection`
			select from schema_migrations where number = ${functions.number} and fingerprint = ${functions.fingerprint}`;
		// A migration may have replaced a function by an earlier text.
		if (known.length === 0 || missing.length > 0) await applyWhenFree(connection, functions, report);
		await maintainPartitions(connection);
		return newest;
	} finally {
		// The lock belongs to the session; a broken connection has released it already.
		await connection`select pg_advisory_unlock(${LOCKS.migrations})`.catch(() => undefined);
		connection.release();
	}
}

/** Makes partitions for the time to come, and empties the oldest of those that are used in turn. */
export async function maintainPartitions(sql: Sql): Promise<void> {
	await sql`select maintain_partitions()`;
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

/** Number of the newest migration in the database; 0 without any. Throws: DatabaseBaselineError. */
export async function findApplied(sql: Sql, migrations = readSchema().migrations): Promise<number> {
	// Read as JSON, because the table had no fingerprints before there was a baseline.
	const rows = await sql<{ number: number; fingerprint: string | null }[]>`
		select number, to_jsonb(m) ->> 'fingerprint' as fingerprint from schema_migrations m where number >= 1 order by 1`;
	const applied = new Map(rows.map(({ number, fingerprint }) => [number, fingerprint]));
	const isOther = ({ number, fingerprint }: Migration) => applied.has(number) && applied.get(number) !== fingerprint;
	if (applied.size > 0 && (!applied.has(1) || migrations.some(isOther))) throw new DatabaseBaselineError();
	return Math.max(0, ...applied.keys());
}

/** Throws: DatabaseTooNewError. */
export function refuseNewer(newest: number, at: number): void {
	if (at > newest) throw new DatabaseTooNewError(newest, at);
}

/** For programs that use a database without migrating it. Throws: DatabaseBaselineError, DatabaseTooNewError, DatabaseTooOldError. */
export async function checkMigrated(sql: Sql): Promise<void> {
	const [row] = await sql<{ isThere: boolean }[]>`select to_regclass('schema_migrations') is not null as "isThere"`;
	const at = row?.isThere ? await findApplied(sql) : 0;
	const newest = findNewest();
	refuseNewer(newest, at);
	if (at < newest) throw new DatabaseTooOldError(newest, at);
}

export function findNewest(migrations = readSchema().migrations): number {
	return migrations[migrations.length - 1]?.number ?? 0;
}

/**
 * The files of this version. `schema` holds the baseline, which is number 1; `migrations` are numbered from 2 on. Each is applied once, in
 * order. `functions` is applied again whenever it differs. The database records the fingerprint of each.
 *
 * Gap: until the first release the baseline is edited in place, and a database with another fingerprint is refused.
 */
type SchemaFiles = { readonly functions: Migration; readonly migrations: readonly Migration[] };

const MIGRATIONS = join(import.meta.dir, "migrations");
let ours: SchemaFiles | undefined;

function readSchema(directory = MIGRATIONS): SchemaFiles {
	if (directory === MIGRATIONS && ours) return ours;
	// Bodies may name tables that come later: the triggers and indexes of tables need the functions.
	const functions = toMigration(0, "functions", `set local check_function_bodies = off;\n${joinFiles("functions")}`);
	const schema = toMigration(1, "baseline", joinFiles("schema"));
	const baseline = { ...schema, text: `${functions.text}\n${schema.text}` };
	const numbered = listFiles(directory, /^\d{4}_[a-z_]+\.sql$/).map((file) =>
		toMigration(Number(file.slice(0, 4)), file.slice(5, -4), readFileSync(join(directory, file), "utf8")),
	);
	const files = { functions, migrations: [baseline, ...numbered] };
	if (directory === MIGRATIONS) ours = files;
	return files;
}

/** The statements that make all of this version's schema, for a schema of this name. */
export function writeSchema(schema: string): string {
	const { migrations } = readSchema();
	return placedIn(schema, migrations.map(({ text }) => text).join("\n"));
}

/** Functions never look at a temporary table of the same name; the files say `public` for the schema of the service. */
function placedIn(schema: string, text: string): string {
	return text.replaceAll("search_path = public,", `search_path = ${schema},`);
}

function joinFiles(folder: string): string {
	const directory = join(import.meta.dir, folder);
	return listFiles(directory, /\.sql$/)
		.map((file) => readFileSync(join(directory, file), "utf8"))
		.join("\n");
}

function listFiles(directory: string, pattern: RegExp): string[] {
	return readdirSync(directory)
		.filter((file) => pattern.test(file))
		.sort();
}

function toMigration(number: number, name: string, text: string): Migration {
	return { number, name, text, fingerprint: createHash("sha256").update(text).digest("hex") };
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

type Migration = {
	readonly number: number;
	readonly name: string;
	readonly text: string;
	/** SHA-256 of the files. */
	readonly fingerprint: string;
};

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

async function apply(connection: Sql, { number, name, text, fingerprint }: Migration): Promise<void> {
	await connection`begin`;
	try {
		const [row] = await connection<{ schema: string }[]>`
			select set_config('lock_timeout', ${String(LOCK_WAIT_MS)}, true), quote_ident(current_schema()) as schema`;
		await connection`
			insert into schema_migrations (number, name, fingerprint) values (${number}, ${name}, ${fingerprint})
			on conflict (number) do update set fingerprint = excluded.fingerprint, applied_at = now()`;
		await connection.unsafe(placedIn(row?.schema ?? "public", text));
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
