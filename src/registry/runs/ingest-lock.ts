/**
 * Work under the ingest lock. The lock belongs to a database connection and is lost with it, for example when a server fails over. The
 * previous holder's thread may then continue while the next holder works:
 *
 *   holder     lock ──▶ works ──▶ connection ends ──▶ gets the abort signal and stops ──▶ removes its own files
 *   successor                           lock ──▶ removes the files of others ──▶ works ──▶ publishes
 *
 * Every holder therefore checks the lock before it publishes, and removes only its own files after it has started.
 */
import { setTimeout } from "node:timers/promises";
import type { Sql, Tx } from "../../platform/database";
import { takeIngestLock } from "./store";

/** Maximum silence of a holder, such as a paused one or one with a dead connection. A working holder gives several signs of life in this time. */
const QUIET_MAX_MS = 60_000;
const SIGNS = 6;
/** Who waits holds no connection meanwhile: behind a pooler the waiting processes of a fleet would leave none for the holder's work. */
const ASK_AGAIN_MS = 500;

type LockDeps = { readonly sql: Sql; readonly signal: AbortSignal; readonly onWait?: () => void };

/**
 * Returns undefined if another process has the lock and `wait` is off. When the lock is lost, the signal aborts the work, and this settles
 * after the work has: later work in this process must not overlap with it. Throws if the signal aborts the wait.
 */
export async function withIngestLock<T>(
	{ sql, signal, onWait }: LockDeps,
	wait: boolean,
	work: (tx: Tx, signal: AbortSignal) => Promise<T>,
	quietMaxMs = QUIET_MAX_MS,
): Promise<T | undefined> {
	let done = await tryWithLock({ sql, signal }, work, quietMaxMs);
	if (wait && done === undefined) onWait?.();
	for (; wait && done === undefined; done = await tryWithLock({ sql, signal }, work, quietMaxMs))
		await setTimeout(ASK_AGAIN_MS, undefined, { signal });
	return done?.result;
}

/** Undefined if another process has the lock. */
async function tryWithLock<T>(
	{ sql, signal }: LockDeps,
	work: (tx: Tx, signal: AbortSignal) => Promise<T>,
	quietMaxMs: number,
): Promise<{ result: T } | undefined> {
	const lost = new AbortController();
	let working: Promise<T> | undefined;
	let signs: ReturnType<typeof setInterval> | undefined;
	try {
		// Fails when its connection ends, whatever it is doing.
		await sql.begin(async (tx) => {
			if (!(await takeIngestLock(tx, quietMaxMs))) return;
			// The work meets the same error.
			signs = setInterval(() => assertIngestLock(tx).catch(() => undefined), quietMaxMs / SIGNS);
			working = work(tx, AbortSignal.any([signal, lost.signal]));
			await working.finally(() => clearInterval(signs));
		});
		return working && { result: await working };
	} catch (error) {
		clearInterval(signs);
		lost.abort();
		await working?.catch(() => undefined);
		throw error;
	}
}

/** Throws if the lock was lost. */
export async function assertIngestLock(tx: Tx): Promise<void> {
	await tx`select 1`;
}
