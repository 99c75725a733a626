import type { Sql, Tx } from "../platform/database";

/** Class of the advisory locks that stand for a company's documents that are being stored; `store_invoices` takes them shared. */
const STORING = 7_301_012;
/**
 * Class of those that stand for a company's place among the authority's environments. Whoever moves it has the lock, perhaps for a minute; whoever
 * takes numbers or stores for many companies at once tries for a share and does without those that move: nobody waits for another's move.
 */
const PLACE = 7_301_041;

/** Waits for documents that are being stored, and keeps others waiting until this transaction ends. */
export async function waitForDocuments(tx: Tx, tenantId: string): Promise<void> {
	await tx`select pg_advisory_xact_lock(${STORING}, hashtext(${tenantId}))`;
}

/** The same for a move: others are refused until this transaction ends. */
export async function beginMove(tx: Tx, tenantId: string): Promise<void> {
	await tx`select pg_advisory_xact_lock(${PLACE}, hashtext(${tenantId}))`;
	await waitForDocuments(tx, tenantId);
}

/** SQL that is true when the company stays where it is until the transaction ends. */
export function stays(sql: Sql | Tx, tenantId: string): ReturnType<Sql> {
	return sql`pg_try_advisory_xact_lock_shared(${PLACE}, hashtext(${tenantId}))`;
}
