/**
 * Work in the ingest's turn. The turn is a lock of the database, so it is lost when the holder's connection ends, by a server that fails over for
 * example, while the holder's thread works on, beside whoever has the turn next:
 *
 *   holder     turn ──▶ works ──▶ connection ends ──▶ is told, works on until it hears ──▶ removes what is its own
 *   successor                            turn ──▶ removes what others left ──▶ works ──▶ publishes
 *
 * So nobody publishes without asking whether the turn is still his, and once a holder has begun he removes files of his own only.
 */
import type { Sql, Tx } from "../../platform/database";
import { acquireIngestLock } from "./store";

/**
 * How long a holder may give no sign of life, and keep the turn: one whose network has swallowed its connection, or who was paused, for longer.
 * Whoever works gives several meanwhile.
 */
const QUIET_MAX_MS = 60_000;
const SIGNS = 6;

type LockDeps = { readonly sql: Sql; readonly signal: AbortSignal; readonly onWait?: () => void };

/**
 * Undefined when another process has the turn and `wait` is off. The work is told by its signal when the turn is lost, and this settles when the work
 * has: what comes next in this process must not find it still at it.
 */
export async function withIngestLock<T>(
	{ sql, signal, onWait }: LockDeps,
	wait: boolean,
	work: (tx: Tx, signal: AbortSignal) => Promise<T>,
	quietMaxMs = QUIET_MAX_MS,
): Promise<T | undefined> {
	const lost = new AbortController();
	let working: Promise<T> | undefined;
	let signs: ReturnType<typeof setInterval> | undefined;
	try {
		// It fails when its connection ends, whatever is under way in it.
		await sql.begin(async (tx) => {
			if (!(await acquireIngestLock(tx, { wait, idleMaxMs: quietMaxMs, signal, onWait }))) return;
			// What it fails with, the work meets too.
			signs = setInterval(() => assertIngestLock(tx).catch(() => undefined), quietMaxMs / SIGNS);
			working = work(tx, AbortSignal.any([signal, lost.signal]));
			await working.finally(() => clearInterval(signs));
		});
		return await working;
	} catch (error) {
		clearInterval(signs);
		lost.abort();
		await working?.catch(() => undefined);
		throw error;
	}
}

/** Throws when the turn was lost. */
export async function assertIngestLock(tx: Tx): Promise<void> {
	await tx`select 1`;
}
