/** Reads an invoice: the full record, the same under its company, and the fiscal record of a type 31. */
import { type ArchivedObject, getArchiveObject } from "../../../archive";
import { retryOnFailure, type Sql } from "../../../platform/database";
import {
	type Call,
	json,
	matchesEtag,
	NEEDS_BOTH,
	NOT_KEPT,
	type Operation,
	tenantOf,
} from "../../../platform/operation";
import { Problem } from "../../../platform/problem";
import type { Environment } from "../../../platform/values";
import type { InvoiceRow } from "../model/invoice-row";
import type { FindInvoiceApproval, InvoiceApproval } from "../view/invoice-approval";
import { conditionalParameter, docIdParameter, findOwnInvoice, TAG, toEtag } from "../view/own-invoice";
import { FiscalInvoice, InvoiceRecord, toFiscalInvoice, toInvoiceRecord } from "../view/record";

export type RecordDeps = {
	readonly sql: Sql;
	readonly environment: Environment;
	readonly findApproval: FindInvoiceApproval;
};

const HEADERS = { ETag: "Changes with what the answer shows." };
const KNOWN = { 304: { description: "Nothing has changed.", headers: HEADERS } } as const;

export function getInvoiceOperation(deps: RecordDeps): Operation {
	return {
		id: "getInvoice",
		method: "GET",
		path: "/v1/invoices/{docId}",
		tag: TAG,
		summary: "Read an invoice",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter, conditionalParameter],
		answers: { 200: { description: "The invoice.", schema: InvoiceRecord, headers: HEADERS }, ...KNOWN },
		problems: ["not-found"],
		handle: async (call) => recordAnswer(deps, call, await findOwnInvoice(deps.sql, call, call.params.docId)),
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
			conditionalParameter,
		],
		answers: { 200: { description: "The invoice.", schema: InvoiceRecord, headers: HEADERS }, ...KNOWN },
		problems: ["not-found"],
		handle: async (call) => {
			if (call.params.idCompany !== tenantOf(call)) throw new Problem("not-found");
			return recordAnswer(deps, call, await findOwnInvoice(deps.sql, call, call.params.id));
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
		parameters: [{ ...docIdParameter, name: "id" }, conditionalParameter],
		answers: {
			200: { description: "The document with its fiscal details.", schema: FiscalInvoice, headers: HEADERS },
			...KNOWN,
		},
		problems: ["not-found"],
		handle: async (call) => {
			const row = await findOwnInvoice(deps.sql, call, call.params.id);
			if (row.type !== "31") throw new Problem("not-found");
			return answerUnlessKnown(call, toEtag(row), () => toFiscalInvoice(row));
		},
	};
}

async function recordAnswer(deps: RecordDeps, call: Call, row: InvoiceRow): Promise<Response> {
	const [archived, approval] = await Promise.all([
		retryOnFailure(() => getArchiveObject(deps.sql, row.docId)),
		retryOnFailure(() => deps.findApproval(row.tenantId, row.docId)),
	]);
	return answerUnlessKnown(call, tagOf(row, archived, approval), () =>
		toInvoiceRecord(row, deps.environment, archived, approval),
	);
}

/**
 * Where the document lies in the archive, for how long, and the buyer's word are shown too: they come by themselves, and are no steps of the
 * document, whose versions count those.
 */
function tagOf(row: InvoiceRow, archived: ArchivedObject | undefined, approval: InvoiceApproval | undefined): string {
	const parts = [
		toEtag(row).slice(1, -1),
		...(archived ? [`archive${archived.leafIndex}`, String(archived.retainUntil.getTime())] : []),
		...(approval ? ["approval"] : []),
	];
	return `"${parts.join("-")}"`;
}

function answerUnlessKnown(call: Call, etag: string, show: () => unknown): Response {
	const headers = { etag, ...NOT_KEPT };
	const isKnown = matchesEtag(call.request.headers.get("if-none-match"), etag);
	return isKnown ? new Response(null, { status: 304, headers }) : json(200, show(), headers);
}
