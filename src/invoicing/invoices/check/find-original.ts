/** The document that a note modifies, as far as it was issued here, with what earlier notes have left of it. */
import type { OriginalDocument } from "../../../authority/client";
import { findOtherIssuer } from "../../../ecf/signing";
import type { Sql } from "../../../platform/database";
import { Decimal, parseTaxpayerDocument, toLocalIsoDate } from "../../../platform/values";
import type { InvoiceRequest } from "../model/invoice";
import { findWithNotes, type NoteFacts } from "../model/store";

/** Undefined where the invoice refers to nothing, to another taxpayer's document, or to one that was issued elsewhere. */
export async function findOriginal(
	sql: Sql,
	tenantId: string,
	invoice: InvoiceRequest,
): Promise<OriginalDocument | undefined> {
	const [original] = await findOriginals(sql, tenantId, [invoice]);
	return original;
}

/** The same for many at once, in their order. */
export async function findOriginals(
	sql: Sql,
	tenantId: string,
	invoices: readonly InvoiceRequest[],
): Promise<(OriginalDocument | undefined)[]> {
	const encfs = invoices.map((invoice) =>
		findOtherIssuer(invoice, invoice.company.rnc) === undefined ? invoice.reference?.encf : undefined,
	);
	const sought = [...new Set(encfs.filter((encf) => encf !== undefined))];
	if (sought.length === 0) return invoices.map(() => undefined);
	const rows = await findWithNotes(sql, tenantId, sought);
	const originals = new Map(rows.filter((row) => row.modifies === null).map((row) => [row.encf, row]));
	const notes = Map.groupBy(rows, (row) => row.modifies ?? "");
	return invoices.map((invoice, i) => {
		const encf = encfs[i] ?? "";
		const original = originals.get(encf);
		// Without the note itself: a repeat of its request must not find its own amount gone.
		return original && toOriginal(original, notes.get(encf) ?? [], invoice.encf);
	});
}

function toOriginal(original: NoteFacts, all: readonly NoteFacts[], ownEncf: string): OriginalDocument {
	const notes = all.filter((note) => note.encf !== ownEncf && note.status !== "rejected");
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
