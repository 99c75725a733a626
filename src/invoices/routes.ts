/** The operations on invoices: issue, list, read, follow until the verdict, fetch what was signed, try again. */
import { Type } from "@sinclair/typebox";
import { getArchiveObject } from "../archive";
import { retryOnFailure } from "../database";
import { createSingleFlight } from "../idempotency";
import {
	type Call,
	json,
	matchesEtag,
	NEEDS_BEARER,
	NEEDS_BOTH,
	type Operation,
	type Parameter,
	readQuery,
	tenantOf,
} from "../operation";
import { append, reviveMessages } from "../outbox";
import { type Fault, Problem } from "../problem";
import { createNumbering } from "../sequences";
import { isId, isIsoDate, parseTaxpayerDocument } from "../values";
import { Acknowledgement } from "./acknowledgement";
import { createGathered } from "./gathered";
import { ECF_TYPES, EXAMPLE_INVOICE, InvoiceRequest } from "./invoice";
import type { InvoiceRow } from "./invoice-row";
import type { IssueDeps } from "./issue-invoice";
import { type PostDeps, postInvoice } from "./post-invoice";
import { FiscalInvoice, InvoiceRecord, toFiscalInvoice, toInvoiceRecord } from "./record";
import { InvoiceStatus, pollAfterSeconds, toStatus } from "./status";
import { findInvoice, findInvoices, findSignedDocument, reopenInvoice } from "./store";

const MIB = 1024 * 1024;
const TAG = "Invoices";

const docId: Parameter = {
	name: "docId",
	in: "path",
	required: true,
	description: "The document's id.",
	schema: Type.String(),
	example: "0192f110-7a00-7b11-9c22-334455667788",
};

const query = (name: string, description: string, pattern?: string): Parameter => ({
	name,
	in: "query",
	required: false,
	description,
	schema: Type.String({ maxLength: 64, ...(pattern ? { pattern } : {}) }),
});

const POST_HEADERS: readonly Parameter[] = [
	{
		name: "Idempotency-Key",
		in: "header",
		required: true,
		description: "UUID v4. A repeat within 24 hours answers 200 with the same bytes.",
		schema: Type.String({ format: "uuid" }),
		example: "5f0c2f9e-0d0f-4b43-9f0e-0a4b1a2c3d4e",
	},
	{
		name: "Prefer",
		in: "header",
		required: false,
		description: "`wait=1` to `wait=25`: wait so many seconds for the authority's verdict.",
		schema: Type.String(),
		example: "wait=10",
	},
];

export function invoiceOperations(
	given: Omit<IssueDeps, "gathered" | "numbering"> & Pick<PostDeps, "isDraining">,
): Operation[] {
	const deps = { ...given, gathered: createGathered(given), numbering: createNumbering(given) };
	const post: PostDeps = { ...deps, singleFlight: createSingleFlight() };
	return [
		{
			id: "postInvoice",
			method: "POST",
			path: "/v1/invoices",
			tag: TAG,
			summary: "Issue an invoice",
			description:
				"Checks, signs and stores the document, then answers with everything that a receipt needs. It is sent to the " +
				"authority afterwards; the verdict comes by polling `_links.status` or by webhook.",
			credentials: NEEDS_BOTH,
			scope: "invoices:write",
			parameters: POST_HEADERS,
			body: {
				schema: InvoiceRequest,
				limitBytes: 2 * MIB,
				required: true,
				mediaTypes: ["application/json"],
				example: EXAMPLE_INVOICE,
			},
			answers: {
				202: {
					description: "Accepted, signed and queued.",
					schema: Acknowledgement,
					headers: { Location: "The document.", "Retry-After": "When to poll.", "Idempotency-Replayed": "false" },
				},
				200: {
					description: "A repeat: the first answer again, byte for byte.",
					schema: Acknowledgement,
					headers: {
						"Idempotency-Replayed": "true",
						"X-Duplicate-Of": "The document, when the client_request_id was the same.",
					},
				},
			},
			problems: [
				"malformed-json",
				"unsupported-ecf-type",
				"validation-error",
				"mathematical-discrepancy",
				"tenant-config-missing",
				"company-rnc-mismatch",
				"idempotency-key-reused",
				"idempotency-in-progress",
				"client-request-id-conflict",
				"encf-already-used",
				"sequence-exhausted",
				"authority-rejected",
				"authority-unavailable",
			],
			handle: (call) => postInvoice(post, call),
		},
		{
			id: "listInvoices",
			method: "GET",
			path: "/v1/invoices",
			tag: TAG,
			summary: "List invoices, newest first",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				query("encf", "Exact number.", "^E[0-9]{10,12}$"),
				query("client_request_id", "Exact id."),
				query("type", "e-CF type.", `^(${ECF_TYPES.join("|")})$`),
				query("status", "Status.", "^(pending|accepted|rejected|failed)$"),
				query("from", "First day of receipt, YYYY-MM-DD (UTC-4)."),
				query("to", "Last day of receipt, YYYY-MM-DD (UTC-4)."),
				query("customer_rnc", "The buyer's RNC."),
				query("after", "`next` of the page before."),
				query("limit", "1 to 100, default 25.", "^([1-9][0-9]?|100)$"),
			],
			answers: {
				200: {
					description: "A page of invoices.",
					schema: Type.Object({
						items: Type.Array(InvoiceStatus),
						count: Type.Integer(),
						partial: Type.Boolean(),
						next: Type.Union([Type.String(), Type.Null()]),
					}),
				},
			},
			problems: ["validation-error"],
			handle: (call) => listInvoices(deps, call),
		},
		{
			id: "getInvoice",
			method: "GET",
			path: "/v1/invoices/{docId}",
			tag: TAG,
			summary: "Read an invoice",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [docId],
			answers: { 200: { description: "The invoice.", schema: InvoiceRecord } },
			problems: ["not-found"],
			handle: async (call) => recordAnswer(deps, await findOwn(deps, call, call.params.docId)),
		},
		{
			id: "getInvoiceByCompany",
			method: "GET",
			path: "/v1/invoices/{id}/idCompany/{idCompany}",
			tag: TAG,
			summary: "Read an invoice of a company",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [
				{ ...docId, name: "id" },
				{ ...docId, name: "idCompany", description: "The company's tenant id; must be the token's." },
			],
			answers: { 200: { description: "The invoice.", schema: InvoiceRecord } },
			problems: ["not-found"],
			handle: async (call) => {
				if (call.params.idCompany !== tenantOf(call)) throw new Problem("not-found");
				return recordAnswer(deps, await findOwn(deps, call, call.params.id));
			},
		},
		{
			id: "getInvoiceStatus",
			method: "GET",
			path: "/v1/invoices/{docId}/status",
			tag: TAG,
			summary: "Ask for the verdict",
			description:
				"Poll every 30 seconds, or as `Retry-After` says while the document is pending; webhooks need no polling.",
			credentials: NEEDS_BEARER,
			scope: "invoices:read",
			parameters: [docId],
			answers: {
				200: {
					description: "Where the document stands.",
					schema: InvoiceStatus,
					headers: { ETag: "The document's version.", "Retry-After": "While pending: when to ask again." },
				},
			},
			problems: ["not-found"],
			handle: (call) => getStatus(deps, call),
		},
		{
			id: "getInvoiceXml",
			method: "GET",
			path: "/v1/invoices/{docId}/xml",
			tag: TAG,
			summary: "Read the signed e-CF",
			description:
				"The very bytes that were signed. A small consumer invoice goes to the authority as a summary; this is the full document.",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [docId],
			answers: {
				200: {
					description: "The signed XML.",
					mediaType: "application/xml",
					headers: { ETag: "SHA-256 of the bytes.", "Repr-Digest": "RFC 9530." },
				},
			},
			problems: ["not-found"],
			handle: (call) => getXml(deps, call),
		},
		{
			id: "retryInvoice",
			method: "POST",
			path: "/v1/invoices/{docId}/retry",
			tag: TAG,
			summary: "Try a failed invoice again",
			description: "Brings a document of status `failed` back to `pending`; any other document stays as it is.",
			credentials: NEEDS_BOTH,
			scope: "invoices:write",
			parameters: [docId],
			answers: {
				202: { description: "It was failed and is pending again.", schema: InvoiceStatus },
				200: { description: "There was nothing to retry; where the document stands.", schema: InvoiceStatus },
			},
			problems: ["not-found"],
			handle: (call) => retryInvoice(deps, call),
		},
		{
			id: "getFiscalInvoice",
			method: "GET",
			path: "/v1/fiscal-invoices/{id}",
			tag: TAG,
			summary: "Read the validation status of a type-31 document",
			credentials: NEEDS_BOTH,
			scope: "invoices:read",
			parameters: [{ ...docId, name: "id" }],
			answers: { 200: { description: "The document with its fiscal details.", schema: FiscalInvoice } },
			problems: ["not-found"],
			handle: async (call) => {
				const row = await findOwn(deps, call, call.params.id);
				if (row.type !== "31") throw new Problem("not-found");
				return json(200, toFiscalInvoice(row), { "cache-control": "private, no-store" });
			},
		},
	];
}

/** A tenant's own document. Throws: not-found, the same for a foreign id, an absent one and one that is no id at all. */
async function findOwn(deps: IssueDeps, call: Call, id: string | undefined): Promise<InvoiceRow> {
	const tenantId = tenantOf(call);
	const row =
		id !== undefined && isId(id) ? await retryOnFailure(() => findInvoice(deps.sql, tenantId, id)) : undefined;
	if (!row) throw new Problem("not-found");
	return row;
}

async function recordAnswer(deps: IssueDeps, row: InvoiceRow): Promise<Response> {
	const archived = await retryOnFailure(() => getArchiveObject(deps.sql, row.docId));
	const record = toInvoiceRecord(row, deps.environment, archived);
	return json(200, record, { etag: `"v${row.version}"`, "cache-control": "private, no-store" });
}

async function getStatus(deps: IssueDeps, call: Call): Promise<Response> {
	const row = await findOwn(deps, call, call.params.docId);
	const headers: Record<string, string> = { etag: `"v${row.version}"`, "cache-control": "private, no-store" };
	if (row.status === "pending") {
		headers["retry-after"] = String(pollAfterSeconds(call.principal?.plan ?? "free", row, deps.clock.now()));
	}
	return json(200, toStatus(row), headers);
}

async function getXml(deps: IssueDeps, call: Call): Promise<Response> {
	const row = await findOwn(deps, call, call.params.docId);
	const document = await retryOnFailure(() => findSignedDocument(deps.sql, row.docId, "ecf"));
	if (!document) throw new Error(`document ${row.docId} has no signed bytes`);
	const sha256 = Buffer.from(document.sha256);
	const etag = `"${sha256.toString("hex")}"`;
	const headers = {
		etag,
		"repr-digest": `sha-256=:${sha256.toString("base64")}:`,
		"cache-control": "private, max-age=86400, immutable",
	};
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return new Response(document.bytes as Uint8Array<ArrayBuffer>, {
		headers: {
			...headers,
			"content-type": "application/xml; charset=utf-8",
			"content-disposition": `attachment; filename="${row.encf}.xml"`,
			"x-content-type-options": "nosniff",
		},
	});
}

async function retryInvoice(deps: IssueDeps, call: Call): Promise<Response> {
	const row = await findOwn(deps, call, call.params.docId);
	const isReopened = await deps.sql.begin(async (tx) => {
		if (!(await reopenInvoice(tx, row.tenantId, row.docId))) return false;
		const message = { kind: "invoice.submit", tenantId: row.tenantId, subject: row.docId };
		if ((await reviveMessages(tx, message.kind, row.docId)) === 0) await append(tx, message);
		return true;
	});
	if (isReopened) deps.wake();
	const status = toStatus(await findOwn(deps, call, row.docId));
	return json(isReopened ? 202 : 200, status, {
		location: `/v1/invoices/${row.docId}/status`,
		"cache-control": "private, no-store",
	});
}

async function listInvoices(deps: IssueDeps, call: Call): Promise<Response> {
	const { limit = "25", after, from, to, encf, type, status, client_request_id, customer_rnc } = readQuery(call);
	const faults: Fault[] = [];
	const fault = (name: string, code: string, detail: string) =>
		faults.push({ pointer: `#/query/${name}`, code, detail });
	if (after !== undefined && !isId(after)) fault("after", "invalid-cursor", "Is not a cursor.");
	if (from !== undefined && !isIsoDate(from)) fault("from", "invalid-date", "Send YYYY-MM-DD.");
	if (to !== undefined && !isIsoDate(to)) fault("to", "invalid-date", "Send YYYY-MM-DD.");
	const customer = customer_rnc === undefined ? undefined : parseTaxpayerDocument(customer_rnc);
	if (customer_rnc !== undefined && !customer) fault("customer_rnc", "invalid-rnc", "Send 9 or 11 digits.");
	if (faults.length > 0) throw new Problem("validation-error", { faults });
	const filter = {
		encf,
		clientRequestId: client_request_id,
		type,
		status,
		from,
		to,
		customerRnc: customer?.digits,
		after,
	};
	const rows = await retryOnFailure(() => findInvoices(deps.sql, tenantOf(call), filter, Number(limit)));
	const page = rows.slice(0, Number(limit));
	const partial = rows.length > page.length;
	const next = partial ? (page[page.length - 1]?.docId ?? null) : null;
	return json(
		200,
		{ items: page.map(toStatus), count: page.length, partial, next },
		{ "cache-control": "private, no-store" },
	);
}
