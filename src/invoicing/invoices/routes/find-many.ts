/** Finds many documents of a tenant by ids, numbers and the client's own ids, in one query. */
import { retryOnFailure, type Sql } from "../../../platform/database";
import { isId } from "../../../platform/values";
import type { InvoiceRow } from "../model/invoice-row";
import { findInvoicesByAny } from "../model/store";

export type Asked = {
	readonly docIds: readonly string[];
	readonly encfs: readonly string[];
	readonly clientRequestIds: readonly string[];
};

export type Found = {
	readonly byDocId: ReadonlyMap<string, InvoiceRow>;
	/** A number that the authority gave back may have several documents; the newest is found. */
	readonly byEncf: ReadonlyMap<string, InvoiceRow>;
	readonly byClientRequestId: ReadonlyMap<string, InvoiceRow>;
};

/** What is another tenant's, what never was and what is no id at all are absent alike. */
export async function findMany(sql: Sql, tenantId: string, asked: Asked): Promise<Found> {
	const docIds = asked.docIds.filter(isId);
	const rows = await retryOnFailure(() => findInvoicesByAny(sql, tenantId, { ...asked, docIds }));
	return {
		byDocId: new Map(rows.map((row) => [row.docId, row])),
		byEncf: new Map(rows.map((row) => [row.encf, row])),
		byClientRequestId: new Map(
			rows.flatMap((row) => (row.clientRequestId === null ? [] : [[row.clientRequestId, row]])),
		),
	};
}
