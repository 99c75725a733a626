/**
 * Ends sessions whose client has fallen silent in the middle of a statement, and those that still write for a lane that was taken over.
 *
 * The driver sends a new statement in two parts: it asks for the parameter types, then sends the values. A process that is stopped in
 * between, or whose network drops the second part, leaves a session that keeps every lock of its transaction. No time-out of the server
 * applies while it waits for its client:
 *
 *   state                  waits for                   what ends it
 *   idle in transaction    its client                  idle_in_transaction_session_timeout (connect.ts)
 *   active                 its client's second part    nothing: statement_timeout applies only when the client continues. So it is ended here
 *   active                 its client to take rows     nothing either
 *   active                 a lock                      statement_timeout
 *   any of these           with the lock of a lane     the watch: others wait for its shards. Several such sessions may wait for each other, and
 *                          that was taken over         their time-outs would follow one another
 *
 * Model: the watch remembers how long each session has waited for its client. A session that waits in the same step of the same statement
 * at every check for long enough is ended; its transaction is rolled back, and a client that comes back finds its connection closed.
 * Waiting time is measured here by the steady clock, and at most two intervals count between two checks: the watch may have been paused
 * together with the clients. A check that gets no answer is abandoned with its connection.
 *
 * Quirk: the server shows what a session does, and lets it be ended, only to the role that logged in for it. The service's statements may
 * run under another role (rights.ts), so these run as the login. Processes with different logins do not see each other.
 *
 * Source: PostgreSQL, ProcessInterrupts in tcop/postgres.c, which ignores a cancellation while a command is being read. Version 17 has
 * transaction_timeout, which applies here too, but also ends transactions that make progress.
 */
import { withTimeout } from "../concurrency";
import type { Log } from "../telemetry";
import { type ConnectOptions, connect, type Sql } from "./connect";
import { isConnectionFailure } from "./failure";

const EVERY_MS = 2_000;
/** A healthy client answers within a round trip. */
const HUNG_AFTER_MS = 10_000;
/** Rows may take this many times as long over a slow network: as long as a statement may. */
const TAKING_FACTOR = 3;

type Options = Pick<ConnectOptions, "url" | "isPooled"> & {
	readonly log: Pick<Log, "warn">;
	readonly everyMs?: number;
	readonly hungAfterMs?: number;
	/** Sessions of fenced lanes, for which others wait. */
	readonly findFenced: (sql: Sql) => Promise<readonly FencedSession[]>;
	/** Called after each check. */
	readonly onLook?: () => void;
};

/** Starts the watch; the result stops it. */
export function watchHungSessions({
	url,
	isPooled,
	log,
	everyMs = EVERY_MS,
	hungAfterMs = HUNG_AFTER_MS,
	findFenced,
	onLook,
}: Options) {
	const limitsMs = { ClientRead: hungAfterMs, ClientWrite: TAKING_FACTOR * hungAfterMs, Lane: everyMs };
	// A connection of its own: those of a pool may all be waiting for the locks in question.
	const open = () => connect({ url, isPooled, name: "sello hung sessions", connectionsMax: 1, asLogin: true });
	let sql = open();
	let waited = new Map<string, number>();
	let lookedAtMs = performance.now();
	let hasLogged = false;
	let stopping = false;

	async function look(asked: Sql): Promise<void> {
		const fenced = (await findFenced(asked)).map((session): Session => ({ ...session, event: "Lane" }));
		const waiting = [...(await findWaiting(asked)), ...fenced];
		const nowMs = performance.now();
		const countedMs = Math.min(nowMs - lookedAtMs, 2 * everyMs);
		lookedAtMs = nowMs;
		const before = waited;
		waited = new Map(
			waiting.map((session) => {
				const key = keyOf(session);
				const soFarMs = before.get(key);
				return [key, soFarMs === undefined ? 0 : soFarMs + countedMs];
			}),
		);
		for (const session of waiting) {
			if ((waited.get(keyOf(session)) ?? 0) < limitsMs[session.event]) continue;
			// A session that may not be ended does not keep the others from being ended.
			if (await endSession(asked, session).catch(logOnce))
				log.warn({ event: "session.ended", session: session.pid, of: session.name }, "ended a hung database session");
		}
	}

	/** Logged once. What fails now is tried again at the next check, and an absent database is reported elsewhere. */
	function logOnce(err: unknown): void {
		if (stopping || hasLogged || isConnectionFailure(err)) return;
		hasLogged = true;
		log.warn({ event: "session.check_failed", err }, "cannot find or end hung database sessions");
	}

	async function loop(): Promise<void> {
		while (!stopping) {
			const asked = sql;
			const looked = look(asked)
				.catch(logOnce)
				.then(() => true);
			const isAnswered = await withTimeout(looked, hungAfterMs, () => false);
			if (!isAnswered && !stopping) {
				sql = open();
				asked.end({ timeout: 0 }).catch(() => undefined);
			}
			onLook?.();
			await Bun.sleep(everyMs);
		}
	}
	void loop();

	return async (): Promise<void> => {
		stopping = true;
		await sql.end({ timeout: 0 });
	};
}

/** A session in one step of a statement; in the next step it counts as another one. */
type Session = {
	readonly pid: number;
	readonly name: string;
	readonly since: string;
	readonly event: "ClientRead" | "ClientWrite" | "Lane";
};

/** A session in a transaction that writes for a lane that was taken over. `since`: the transaction's start. */
export type FencedSession = Pick<Session, "pid" | "name" | "since">;

function keyOf({ pid, since, event }: Session): string {
	return `${pid} ${since} ${event}`;
}

/** Sessions of this service that this login may see. No statement of the service streams rows, so none waits long for its client. */
function findWaiting(sql: Sql): Promise<Session[]> {
	return sql<Session[]>`
		select pid, application_name as name, state_change::text as since, wait_event as event from pg_stat_activity
		where datname = current_database() and application_name like 'sello %' and state = 'active'
			and wait_event in ('ClientRead', 'ClientWrite')`;
}

async function endSession(sql: Sql, { pid, since, event }: Session): Promise<boolean> {
	const isSame =
		event === "Lane"
			? sql`xact_start::text = ${since}`
			: sql`state_change::text = ${since} and state = 'active' and wait_event = ${event}`;
	const rows = await sql<{ isEnded: boolean }[]>`
		select pg_terminate_backend(pid) as "isEnded" from pg_stat_activity where pid = ${pid} and ${isSame}`;
	return rows[0]?.isEnded ?? false;
}
