import type { Tx } from "../database";

/** Class of the advisory locks that stand for a company's documents that are being stored; `store_invoices` takes them shared. */
const LOCK_CLASS = 7_301_012;

/** Waits for documents that are being stored, and keeps others waiting until this transaction ends. */
export async function waitForDocuments(tx: Tx, tenantId: string): Promise<void> {
	await tx`select pg_advisory_xact_lock(${LOCK_CLASS}, hashtext(${tenantId}))`;
}
