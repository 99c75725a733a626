/**
 * Ends sessions whose client has gone quiet in the middle of a statement.
 *
 * The driver sends a statement that it sends for the first time in two parts: it asks what the parameters are, and sends them when it knows. A
 * process that is stopped between the two, or whose network swallows the second part, leaves a session that keeps every lock of its
 * transaction, and no time-out of the server's strikes while it waits for its client:
 *
 *   state                  waits for                   what ends it
 *   idle in transaction    its client                  idle_in_transaction_session_timeout (connect.ts)
 *   active                 its client's second part    nothing: statement_timeout takes effect when the client is heard again. So it is ended from here
 *   active                 its client to take rows     nothing either
 *   active                 a lock                      statement_timeout
 *
 * Model: whoever looks keeps in mind how long each session has waited for its client; one that still waits in the same step of the same
 * statement after so long, at every look between, is ended. Its transaction is undone as a whole, and a client that comes back finds its connection closed. How
 * long it lasts is measured here, by the steady clock, and between two looks no more counts than two turns of looking: who looks may have
 * stood still together with those that it looks at, and on waking gives them time to go on. A look that gets no answer for as long is given up,
 * and its connection with it: what swallows the second part of a statement may swallow this question too.
 *
 * Quirk: the server shows what a session does, and lets it be ended, only to the role that logged in for it. The service's statements run
 * under another one where an address's login takes it from the start (service-role.ts); so these run as the login. Processes whose
 * addresses have different logins do not see each other.
 *
 * Source: PostgreSQL, ProcessInterrupts in tcop/postgres.c, which passes over a cancellation while a command is being read. Version 17 has
 * transaction_timeout, which strikes there too, but counts a transaction that works like one that hangs.
 */
import { withTimeout } from "../concurrency";
import type { Log } from "../telemetry";
import { type ConnectOptions, connect, type Sql } from "./connect";
import { isConnectionFailure } from "./failure";

const EVERY_MS = 2_000;
/** A client that is well answers within a round trip. */
const HUNG_AFTER_MS = 10_000;
/** Rows may take so many times as long, over a network that is slow: as long as a statement may. */
const TAKING_FACTOR = 3;

type Options = Pick<ConnectOptions, "url"> & {
	readonly log: Pick<Log, "warn">;
	readonly everyMs?: number;
	readonly hungAfterMs?: number;
	/** Called after each look. */
	readonly onLook?: () => void;
};

/** Starts to look; the answer stops it. */
export function watchHungSessions({ url, log, everyMs = EVERY_MS, hungAfterMs = HUNG_AFTER_MS, onLook }: Options) {
	// A connection of its own: those of a pool may all be waiting for the locks that are to be freed.
	const open = () => connect({ url, name: "sello hung sessions", connectionsMax: 1, asLogin: true });
	let sql = open();
	let waited = new Map<string, number>();
	let lookedAtMs = performance.now();
	let hasToldWhy = false;
	let stopping = false;

	async function look(asked: Sql): Promise<void> {
		const waiting = await findWaiting(asked);
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
			const limitMs = session.event === "ClientWrite" ? TAKING_FACTOR * hungAfterMs : hungAfterMs;
			if ((waited.get(keyOf(session)) ?? 0) < limitMs) continue;
			// One that may not be ended keeps nobody from ending the others.
			if (await endSession(asked, session).catch(tellWhy))
				log.warn({ event: "session.ended", session: session.pid, of: session.name }, "ended a hung database session");
		}
	}

	/** What the database cannot tell now it tells at the next look, and that it is away others say. */
	function tellWhy(err: unknown): void {
		if (stopping || hasToldWhy || isConnectionFailure(err)) return;
		hasToldWhy = true;
		log.warn({ event: "session.check_failed", err }, "cannot find or end hung database sessions");
	}

	async function loop(): Promise<void> {
		while (!stopping) {
			const asked = sql;
			const looked = look(asked)
				.catch(tellWhy)
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

/** A session in a step of a statement: with the next step it is another one. */
type Session = {
	readonly pid: number;
	readonly name: string;
	readonly since: string;
	readonly event: "ClientRead" | "ClientWrite";
};

function keyOf({ pid, since, event }: Session): string {
	return `${pid} ${since} ${event}`;
}

/** Of this service's sessions, as far as this login may see them. No statement of the service is written or read by portions, so none waits for long. */
function findWaiting(sql: Sql): Promise<Session[]> {
	return sql<Session[]>`
		select pid, application_name as name, state_change::text as since, wait_event as event from pg_stat_activity
		where datname = current_database() and application_name like 'sello %' and state = 'active'
			and wait_event in ('ClientRead', 'ClientWrite')`;
}

async function endSession(sql: Sql, { pid, since, event }: Session): Promise<boolean> {
	const rows = await sql<{ isEnded: boolean }[]>`
		select pg_terminate_backend(pid) as "isEnded" from pg_stat_activity
		where pid = ${pid} and state_change::text = ${since} and state = 'active' and wait_event = ${event}`;
	return rows[0]?.isEnded ?? false;
}
