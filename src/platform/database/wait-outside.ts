import type { Tx } from "./connect";

/**
 * How long a transaction may do nothing while it waits for something besides the database, or has a turn: far longer than any such work, and
 * an end to one whose process was paused.
 */
export const WAIT_OUTSIDE = "2h";

/** For a transaction that waits for something besides the database: it may do nothing for as long as that takes. */
export async function mayWaitOutside(tx: Tx): Promise<void> {
	await tx`select set_config('idle_in_transaction_session_timeout', ${WAIT_OUTSIDE}, true)`;
}
