/** What the operations on one document share: the path's id, and the document of the caller's own tenant. */
import { Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../../platform/database";
import { type Call, type Parameter, tenantOf } from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import { isId } from "../../../platform/values";
import type { InvoiceRow } from "../model/invoice-row";
import { findInvoice } from "../model/store";

export const TAG = "Invoices";

export const docIdParameter: Parameter = {
	name: "docId",
	in: "path",
	required: true,
	description: "The document's id.",
	schema: Type.String(),
	example: "0192f110-7a00-7b11-9c22-334455667788",
};

export const conditionalParameter: Parameter = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "ETag of an answer that you have: 304 without a body while nothing has changed.",
	schema: Type.String(),
};

/** Every change of what is shown gives a document a new version. */
export const toEtag = (row: Pick<InvoiceRow, "version">) => `"v${row.version}"`;

/** A tenant's own document. Throws: not-found, the same for a foreign id, an absent one and one that is no id at all. */
export async function findOwnInvoice(sql: Sql, call: Call, id: string | undefined): Promise<InvoiceRow> {
	const tenantId = tenantOf(call);
	const row = id !== undefined && isId(id) ? await retryOnFailure(() => findInvoice(sql, tenantId, id)) : undefined;
	if (!row) throw new Problem("not-found");
	return row;
}
