/** Stores new invoices whose numbers hold: given by us and still held, or the caller's own and not voided. */
import type { Tx } from "../database";
import { holdOffVoids, lockHolds, spendHolds } from "../sequences";
import type { NewInvoice } from "./invoice-row";
import { insertScenarios } from "./scenario";
import { insertInvoices } from "./store";

export type Inserted = {
	/** Ids of those that are stored. */
	readonly stored: ReadonlySet<string>;
	/** Ids of those whose hold has ended: their number may be another document's by now. */
	readonly lost: ReadonlySet<string>;
};

/** Inserts invoices, no two of them with equal unique keys; of those neither stored nor lost a unique key is taken. */
export async function insertNumbered(tx: Tx, rows: readonly NewInvoice[]): Promise<Inserted> {
	if (rows.length === 0) return { stored: new Set(), lost: new Set() };
	const holdIds = rows.flatMap(({ holdId }) => holdId ?? []);
	const [, held] = await Promise.all([
		holdOffVoids(
			tx,
			rows.map(({ tenantId }) => tenantId),
		),
		holdIds.length > 0 ? lockHolds(tx, holdIds) : new Set<string>(),
	]);
	const isLost = ({ holdId }: NewInvoice) => holdId !== undefined && !held.has(holdId);
	const stored = await insertInvoices(
		tx,
		rows.filter((row) => !isLost(row)),
	);
	const spent = rows.flatMap(({ holdId, docId }) => (holdId !== undefined && stored.has(docId) ? [holdId] : []));
	if (spent.length > 0) await spendHolds(tx, spent);
	await insertScenarios(
		tx,
		rows.filter(({ docId }) => stored.has(docId)),
	);
	return { stored, lost: new Set(rows.filter(isLost).map(({ docId }) => docId)) };
}
