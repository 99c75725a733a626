import type { Tx } from "./connect";
import { WAIT_OUTSIDE } from "./wait-outside";

/**
 * True when nobody else holds this advisory lock: it is this transaction's then, until it ends, and what it is for may be done outside of it. `idleMax`
 * is how long the transaction may do nothing meanwhile, as the server writes it.
 */
export async function tryLock(tx: Tx, lock: number, idleMax = WAIT_OUTSIDE): Promise<boolean> {
	const [row] = await tx<{ held: boolean }[]>`
		select pg_try_advisory_xact_lock(${lock}) as held, set_config('idle_in_transaction_session_timeout', ${idleMax}, true)`;
	return row?.held ?? false;
}
