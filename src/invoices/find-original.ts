/** The document that a note modifies, as far as it was issued here, with what earlier notes have left of it. */
import type { OriginalDocument } from "../authority";
import type { Sql } from "../database";
import { Decimal, parseTaxpayerDocument, toLocalIsoDate } from "../values";
import type { InvoiceRequest } from "./invoice";
import { findWithNotes, type NoteFacts } from "./store";

/** Undefined where the invoice refers to nothing, to another taxpayer's document, or to one that was issued elsewhere. */
export async function findOriginal(
	sql: Sql,
	tenantId: string,
	invoice: InvoiceRequest,
): Promise<OriginalDocument | undefined> {
	const { reference } = invoice;
	if (!reference || reference.customer_rnc !== undefined) return undefined;
	const rows = await findWithNotes(sql, tenantId, reference.encf);
	const original = rows.find((row) => row.encf === reference.encf);
	// Without the note itself: a repeat of its request must not find its own amount gone.
	return original && toOriginal(original, rows, invoice.encf);
}

function toOriginal(original: NoteFacts, rows: readonly NoteFacts[], ownEncf: string): OriginalDocument {
	const notes = rows.filter((row) => row !== original && row.encf !== ownEncf && row.status !== "rejected");
	const sum = (type: string) =>
		Decimal.sum(notes.filter((note) => note.type === type).map((note) => Decimal.of(note.total)));
	const total = Decimal.of(original.total);
	const buyer = original.buyerRnc === null ? undefined : parseTaxpayerDocument(original.buyerRnc)?.digits;
	return {
		status: original.status,
		issueDate: original.issueDate ?? toLocalIsoDate(original.signedAt),
		...(buyer === undefined ? {} : { buyerRnc: buyer }),
		total: total.toFixed(2),
		balance: total.plus(sum("33")).minus(sum("34")).toFixed(2),
	};
}
