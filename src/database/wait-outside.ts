import type { Tx } from "./connect";

/** For a transaction that waits for something besides the database: it may do nothing for as long as that takes. */
export async function mayWaitOutside(tx: Tx): Promise<void> {
	await tx`select set_config('idle_in_transaction_session_timeout', '0', true)`;
}
