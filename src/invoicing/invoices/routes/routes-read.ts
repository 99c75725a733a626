/**
 * Reading invoices: the list, the full record, the fiscal record, and the history.
 *
 * Gap: documents of certification test sets are no real sales, so the list omits them unless requested.
 */

import { Type } from "@sinclair/typebox";
import { getArchiveObject } from "../../../archive";
import { findProfile } from "../../../ecf/mapping";
import { retryOnFailure } from "../../../platform/database";
import {
	type Call,
	companyParameter,
	cutPage,
	json,
	matchesEtag,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	pageParameters,
	pageSchema,
	readPageQuery,
	tenantOf,
} from "../../../platform/operation";
import { msg, Problem } from "../../../platform/problem";
import { findHistory } from "../model/file-store";
import type { InvoiceRow } from "../model/invoice-row";
import { HistoryEvent, toHistoryEvent } from "../model/status";
import { findReplacement } from "../view/attention-store";
import { FILTER_PARAMETERS, toFilter } from "../view/filter";
import { findInvoices } from "../view/list-store";
import {
	conditionalParameter,
	docIdParameter,
	findOwnInvoice,
	findOwnWhole,
	type InvoiceDeps,
	TAG,
	toEtag,
} from "../view/own-invoice";
import {
	FiscalInvoice,
	InvoiceListItem,
	InvoiceRecord,
	type RecordParts,
	toFiscalInvoice,
	toInvoiceRecord,
	toListItem,
} from "../view/record";

export function listInvoicesOperation(deps: Pick<InvoiceDeps, "sql">): Operation {
	return {
		id: "listInvoices",
		sdk: "invoices.list",
		method: "GET",
		path: "/v1/invoices",
		tag: TAG,
		summary: "List invoices, newest first",
		description:
			"In order of receipt, or with `date=issued` by issue date. All filters given must fit. Amounts are shown as sent; `amount_from` and `amount_to` " +
			"compare the document's total in pesos.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [...FILTER_PARAMETERS, ...pageParameters()],
		answers: {
			200: {
				description: "A page of invoices.",
				schema: pageSchema(InvoiceListItem),
			},
		},
		problems: ["validation-error"],
		handle: (call) => listInvoices(deps, call),
	};
}

async function listInvoices(deps: Pick<InvoiceDeps, "sql">, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const filter = { ...toFilter(query), after: query.after };
	const rows = await retryOnFailure(() => findInvoices(deps.sql, tenantOf(call), filter, limit));
	const { page, place } = cutPage(rows, limit, ({ docId }) => docId);
	return json(200, { items: page.map(toListItem), ...place }, PRIVATE_NO_STORE);
}

const HEADERS = { ETag: "Entity tag of the content." };
const KNOWN = { 304: { description: "Not modified.", headers: HEADERS } } as const;

export function getInvoiceOperation(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "findApproval">,
): Operation {
	return {
		id: "getInvoice",
		sdk: "invoices.get",
		method: "GET",
		path: "/v1/invoices/{docId}",
		tag: TAG,
		summary: "Read an invoice",
		description:
			"The document as stored, with status, verdict, totals and links to its files. Poll `GET /v1/invoices/{docId}/status` instead if you need only the status.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [docIdParameter, conditionalParameter],
		answers: { 200: { description: "The invoice.", schema: InvoiceRecord, headers: HEADERS }, ...KNOWN },
		problems: ["not-found", "archive-unavailable"],
		handle: async (call) => recordAnswer(deps, call, await findOwnWhole(deps, call, call.params.docId)),
	};
}

export function getInvoiceByCompanyOperation(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "findApproval">,
): Operation {
	return {
		id: "getInvoiceByCompany",
		sdk: null,
		method: "GET",
		path: "/v1/invoices/{id}/idCompany/{idCompany}",
		tag: TAG,
		summary: "Read an invoice of a company",
		description:
			"The same as `GET /v1/invoices/{docId}`, for callers that name the company in the path. It must be the token's company.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [{ ...docIdParameter, name: "id" }, companyParameter("idCompany"), conditionalParameter],
		answers: { 200: { description: "The invoice.", schema: InvoiceRecord, headers: HEADERS }, ...KNOWN },
		problems: ["not-found", "archive-unavailable"],
		handle: async (call) => recordAnswer(deps, call, await findOwnWhole(deps, call, call.params.id)),
	};
}

export function getFiscalInvoiceOperation(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "findApproval">,
): Operation {
	return {
		id: "getFiscalInvoice",
		sdk: "invoices.getFiscal",
		method: "GET",
		path: "/v1/fiscal-invoices/{id}",
		tag: TAG,
		summary: "Read the validation status of a type-31 document",
		description:
			"For callers that know only documents of type 31. Documents of other types answer 404; use `GET /v1/invoices/{docId}` for those.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [{ ...docIdParameter, name: "id" }, conditionalParameter],
		answers: {
			200: { description: "The document with its fiscal details.", schema: FiscalInvoice, headers: HEADERS },
			...KNOWN,
		},
		problems: ["not-found", "archive-unavailable"],
		handle: async (call) => {
			const row = await findOwnWhole(deps, call, call.params.id);
			if (!findProfile(row.type)?.isFiscalCredit) throw new Problem("not-found");
			return answerUnlessKnown(call, toEtag(row), () => toFiscalInvoice(row));
		},
	};
}

async function recordAnswer(
	deps: Pick<InvoiceDeps, "sql" | "readSealed" | "environment" | "findApproval">,
	call: Call,
	row: InvoiceRow,
): Promise<Response> {
	const [archived, approval, replacedBy] = await Promise.all([
		retryOnFailure(() => getArchiveObject(deps.sql, row.tenantId, row.docId)),
		retryOnFailure(() => deps.findApproval(row.tenantId, row.docId)),
		retryOnFailure(() => findReplacement(deps.sql, row)),
	]);
	const parts = { archived, approval, replacedBy };
	return answerUnlessKnown(call, tagOf(row, parts), () => toInvoiceRecord(row, deps.environment, parts));
}

/** The ETag also covers archive position, retention, the buyer's decision and the replacement, which do not change the document's version. */
function tagOf(row: InvoiceRow, { archived, approval, replacedBy }: RecordParts): string {
	const parts = [
		toEtag(row).slice(1, -1),
		...(archived ? [`archive${archived.leafIndex}`, String(archived.retainUntil.getTime())] : []),
		...(approval ? ["approval"] : []),
		...(replacedBy ? [replacedBy.docId] : []),
	];
	return `"${parts.join("-")}"`;
}

function answerUnlessKnown(call: Call, etag: string, show: () => unknown): Response {
	const headers = { etag, ...PRIVATE_NO_STORE };
	const isKnown = matchesEtag(call.request.headers.get("if-none-match"), etag);
	return isKnown ? new Response(null, { status: 304, headers }) : json(200, show(), headers);
}

const EXAMPLE = {
	items: [
		{
			version: 1,
			at: "2026-11-20T14:20:00.118Z",
			status: "pending",
			phase: "queued",
			summary: "Signed and stored.",
			event: null,
		},
		{
			version: 2,
			at: "2026-11-20T14:20:00.131Z",
			status: "pending",
			phase: "sending",
			summary: "Is being sent to the authority.",
			event: null,
		},
		{
			version: 3,
			at: "2026-11-20T14:20:00.202Z",
			status: "pending",
			phase: "tracking",
			summary: "The authority has received it and is at work.",
			event: null,
		},
		{
			version: 4,
			at: "2026-11-20T14:20:00.905Z",
			status: "accepted",
			phase: "decided",
			summary: "The authority has accepted it.",
			event: "invoice.accepted",
		},
	],
	count: 4,
	partial: false,
	next: null,
};

export function listInvoiceEventsOperation(deps: Pick<InvoiceDeps, "sql" | "readSealed">): Operation {
	return {
		id: "listInvoiceEvents",
		sdk: "invoices.listEvents",
		method: "GET",
		path: "/v1/invoices/{docId}/events",
		tag: TAG,
		summary: "List an invoice's history",
		description:
			"What happened to the document, oldest first: each attempt to send it, each answer of the authority, and its delivery to the buyer.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			docIdParameter,
			...pageParameters({
				schema: Type.String({
					pattern: "^[1-9][0-9]{0,8}$",
					faultCode: "invalid-cursor",
					faultDetail: msg`Is not a cursor.`,
				}),
			}),
		],
		answers: {
			200: {
				description: "A page of the document's history, oldest first.",
				schema: pageSchema(HistoryEvent),
				example: EXAMPLE,
			},
		},
		problems: ["validation-error", "not-found", "archive-unavailable"],
		handle: (call) => listInvoiceEvents(deps, call),
	};
}

async function listInvoiceEvents(deps: Pick<InvoiceDeps, "sql" | "readSealed">, call: Call): Promise<Response> {
	const invoice = await findOwnInvoice(deps.sql, call, call.params.docId);
	const { limit, query } = readPageQuery(call);
	const rows = await retryOnFailure(() => findHistory(deps, invoice, Number(query.after ?? 0), limit + 1));
	const { page, place } = cutPage(rows, limit, ({ version }) => String(version));
	return json(200, { items: page.map(toHistoryEvent), ...place }, PRIVATE_NO_STORE);
}
