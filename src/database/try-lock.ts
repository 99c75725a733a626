import type { Tx } from "./connect";

/** True when nobody else holds this advisory lock: it is this transaction's then, until it ends. */
export async function tryLock(tx: Tx, lock: number): Promise<boolean> {
	const [row] = await tx<{ held: boolean }[]>`select pg_try_advisory_xact_lock(${lock}) as held`;
	return row?.held ?? false;
}
