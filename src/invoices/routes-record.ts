/** Reads an invoice: the full record, the same under its company, and the fiscal record of a type 31. */
import { getArchiveObject } from "../archive";
import { retryOnFailure, type Sql } from "../database";
import { json, NEEDS_BOTH, NOT_KEPT, type Operation, tenantOf } from "../operation";
import { Problem } from "../problem";
import type { Environment } from "../values";
import type { FindInvoiceApproval } from "./invoice-approval";
import type { InvoiceRow } from "./invoice-row";
import { docIdParameter, findOwnInvoice, TAG, toEtag } from "./own-invoice";
import { FiscalInvoice, InvoiceRecord, toFiscalInvoice, toInvoiceRecord } from "./record";

export type RecordDeps = {
	readonly sql: Sql;
	readonly environment: Environment;
	readonly findApproval: FindInvoiceApproval;
};

export function getInvoiceOperation(deps: RecordDeps): Operation {
	return {
		id: "getInvoice",
		method: "GET",
		path: "/v1/invoices/{docId}",
		tag: TAG,
		summary: "Read an invoice",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter],
		answers: { 200: { description: "The invoice.", schema: InvoiceRecord } },
		problems: ["not-found"],
		handle: async (call) => recordAnswer(deps, await findOwnInvoice(deps.sql, call, call.params.docId)),
	};
}

export function getInvoiceByCompanyOperation(deps: RecordDeps): Operation {
	return {
		id: "getInvoiceByCompany",
		method: "GET",
		path: "/v1/invoices/{id}/idCompany/{idCompany}",
		tag: TAG,
		summary: "Read an invoice of a company",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			{ ...docIdParameter, name: "id" },
			{ ...docIdParameter, name: "idCompany", description: "The company's tenant id; must be the token's." },
		],
		answers: { 200: { description: "The invoice.", schema: InvoiceRecord } },
		problems: ["not-found"],
		handle: async (call) => {
			if (call.params.idCompany !== tenantOf(call)) throw new Problem("not-found");
			return recordAnswer(deps, await findOwnInvoice(deps.sql, call, call.params.id));
		},
	};
}

export function getFiscalInvoiceOperation(deps: RecordDeps): Operation {
	return {
		id: "getFiscalInvoice",
		method: "GET",
		path: "/v1/fiscal-invoices/{id}",
		tag: TAG,
		summary: "Read the validation status of a type-31 document",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [{ ...docIdParameter, name: "id" }],
		answers: { 200: { description: "The document with its fiscal details.", schema: FiscalInvoice } },
		problems: ["not-found"],
		handle: async (call) => {
			const row = await findOwnInvoice(deps.sql, call, call.params.id);
			if (row.type !== "31") throw new Problem("not-found");
			return json(200, toFiscalInvoice(row), { etag: toEtag(row), ...NOT_KEPT });
		},
	};
}

async function recordAnswer(deps: RecordDeps, row: InvoiceRow): Promise<Response> {
	const [archived, approval] = await Promise.all([
		retryOnFailure(() => getArchiveObject(deps.sql, row.docId)),
		retryOnFailure(() => deps.findApproval(row.tenantId, row.docId)),
	]);
	const record = toInvoiceRecord(row, deps.environment, archived, approval);
	// The buyer's word comes once and is no step of the document, whose versions count those.
	const etag = approval ? toEtag(row).replace(/"$/, '-approval"') : toEtag(row);
	return json(200, record, { etag, ...NOT_KEPT });
}
