/**
 * Applies a migration beside others who use its tables.
 *
 * Who waits for a table's lock has everybody who comes later wait behind it, and a dump keeps a table for as long as it takes. So a migration does not
 * wait for long, and lets the others through before it tries again.
 */
import type { Sql } from "./connect";
import { codeOf } from "./failure";

export type Migration = { readonly number: number; readonly name: string; readonly text: string };

/** Tells the operator of whom a start waits for: a sentence, and what is known besides. */
export type TellWait = (details: object, sentence: string) => void;

/** A table that a migration changes was in use for all the time that it waited. */
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

/** What others' requests are held up by one try, and what they have between two. */
const LOCK_WAIT_MS = 2_000;
const LOCK_PAUSE_MS = 2_000;
/** Longer than most dumps take. */
const LOCK_TRIES_MS = 900_000;
/** A lock that was not to be had, and one for which somebody waited who had what is needed next. Source: PostgreSQL, appendix A. */
const NOT_FREE = ["55P03", "40P01"];

/** In a transaction with its own record. Who is waited for is told once. Throws: DatabaseInUseError. */
export async function applyWhenFree(
	connection: Sql,
	migration: Migration,
	tell: TellWait,
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
				tell(details, "a migration waits for a table that is in use, as by a dump");
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

/** Whose transaction is the oldest among those that have a table: most likely it. Undefined where the server shows this login nobody else's. */
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
		// Some servers show nobody anything: only the telling is poorer for it. A connection that broke says so at the next try.
		return undefined;
	}
}
