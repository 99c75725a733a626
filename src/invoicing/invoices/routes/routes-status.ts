/** The status of one document or of many, and retrying a failed one. */

import { type Static, Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../../platform/database";
import { answerOnce, idempotencyKeyParameter } from "../../../platform/idempotency";
import {
	type Call,
	json,
	jsonBody,
	matchesEtag,
	NEEDS_BEARER,
	NEEDS_BOTH,
	type Operation,
	PRIVATE_NO_STORE,
	readJson,
	tenantOf,
} from "../../../platform/operation";
import { append, OUTBOX_KINDS, reviveMessages } from "../../../platform/outbox";
import { isId } from "../../../platform/values";
import { BATCH_MAX, checkCount } from "../issue";
import { InvoiceStatus, pollAfterSeconds, toStatus, toStatusEtag } from "../model/status";
import type { ShownInvoice } from "../model/store";
import { findInvoice, findInvoicesByAny, reopenInvoice } from "../model/store";
import { conditionalParameter, docIdParameter, findOwnInvoice, type InvoiceDeps, TAG } from "../view/own-invoice";

const statusHeaders = {
	ETag: "The document's version, and that of its delivery to the buyer.",
	"Retry-After": "While pending: when to poll again.",
};

export function getInvoiceStatusOperation(deps: Pick<InvoiceDeps, "sql" | "clock">): Operation {
	return {
		id: "getInvoiceStatus",
		sdk: "invoices.getStatus",
		method: "GET",
		path: "/v1/invoices/{docId}/status",
		tag: TAG,
		summary: "Read an invoice's status",
		description:
			"Poll every 30 seconds, or as `Retry-After` says while the document is pending. With webhooks you need not poll.",
		credentials: NEEDS_BEARER,
		scope: "invoices:read",
		limit: "poll",
		parameters: [docIdParameter, conditionalParameter],
		answers: {
			200: {
				description: "The document's status.",
				schema: InvoiceStatus,
				headers: statusHeaders,
			},
			304: { description: "Not modified.", headers: statusHeaders },
		},
		problems: ["not-found"],
		handle: (call) => getStatus(deps, call),
	};
}

async function getStatus(deps: Pick<InvoiceDeps, "sql" | "clock">, call: Call): Promise<Response> {
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const etag = toStatusEtag(row);
	const headers: Record<string, string> = { etag, ...PRIVATE_NO_STORE };
	if (row.status === "pending") {
		headers["retry-after"] = String(pollAfterSeconds(call.principal?.plan ?? "free", row, deps.clock.now()));
	}
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return json(200, toStatus(row), headers);
}

const List = (description: string) =>
	Type.Optional(Type.Array(Type.String({ maxLength: 64 }), { maxItems: BATCH_MAX, description }));

const StatusQuestion = Type.Object(
	{
		docIds: List("Documents by their ids."),
		encfs: List("Documents by their numbers."),
		client_request_ids: List("Documents by your own ids."),
	},
	{
		$id: "StatusQuestion",
		additionalProperties: false,
		description: `Together at most ${BATCH_MAX}, plans may allow fewer: 10 with the demo key, 100 free, 250 starter.`,
	},
);
type StatusQuestion = Static<typeof StatusQuestion>;

/** Gap: the shape of the answer. In the order of the request: all `docIds`, then all `encfs`, then all `client_request_ids`. */
const StatusAnswers = Type.Object(
	{
		results: Type.Array(
			Type.Object({
				docId: Type.Optional(Type.String({ description: "As requested." })),
				encf: Type.Optional(Type.String({ description: "As requested." })),
				client_request_id: Type.Optional(Type.String({ description: "As requested." })),
				outcome: Type.Union([Type.Literal("found"), Type.Literal("not_found")]),
				invoice: Type.Optional(InvoiceStatus),
			}),
			{ description: "One for each, in the order of the request: ids, numbers, your own ids." },
		),
		found: Type.Integer(),
		pending: Type.Integer({ description: "Number of pending documents among those found." }),
	},
	{ $id: "StatusAnswers" },
);
type StatusAnswers = Static<typeof StatusAnswers>;

export function getInvoiceStatusesOperation(deps: Pick<InvoiceDeps, "sql" | "clock">): Operation {
	return {
		id: "getInvoiceStatuses",
		sdk: "invoices.getStatuses",
		method: "POST",
		path: "/v1/invoices:status",
		tag: TAG,
		summary: "Read many invoices' statuses",
		description:
			"The status of up to 500 documents, fewer by plan. The whole request counts as one poll. Documents of other tenants are " +
			"`not_found`, like unknown ones.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		limit: "poll",
		body: jsonBody(StatusQuestion, { docIds: ["0192f110-7a00-7b11-9c22-334455667788"], encfs: ["E310000000002"] }),
		answers: {
			200: {
				description: "One result for each requested document.",
				schema: StatusAnswers,
				headers: { "Retry-After": "While any document is pending: when to poll again." },
			},
		},
		problems: ["malformed-json", "validation-error", "payload-too-large", "unsupported-media-type"],
		handle: (call) => getInvoiceStatuses(deps, call),
	};
}

async function getInvoiceStatuses(deps: Pick<InvoiceDeps, "sql" | "clock">, call: Call): Promise<Response> {
	const { docIds = [], encfs = [], client_request_ids = [] } = await readJson<StatusQuestion>(call);
	checkCount(call, "", docIds.length + encfs.length + client_request_ids.length, "status");
	const asked = { docIds, encfs, clientRequestIds: client_request_ids };
	const { byDocId, byEncf, byClientRequestId } = await findInvoicesByNames(deps.sql, tenantOf(call), asked);
	const results: StatusAnswers["results"] = [
		...docIds.map((docId) => ({ docId, ...toOutcome(byDocId.get(docId)) })),
		...encfs.map((encf) => ({ encf, ...toOutcome(byEncf.get(encf)) })),
		...client_request_ids.map((id) => ({ client_request_id: id, ...toOutcome(byClientRequestId.get(id)) })),
	];
	const rows = [...new Set([...byDocId.values(), ...byEncf.values(), ...byClientRequestId.values()])];
	const pending = rows.filter((row) => row.status === "pending");
	const found = results.filter((result) => result.outcome === "found").length;
	const headers = { ...retryAfter(deps, call, pending), ...PRIVATE_NO_STORE };
	return json(200, { results, found, pending: pending.length }, headers);
}

function toOutcome(
	row: ShownInvoice | undefined,
): { outcome: "found"; invoice: InvoiceStatus } | { outcome: "not_found" } {
	return row ? { outcome: "found", invoice: toStatus(row) } : { outcome: "not_found" };
}

/** The shortest pause of the pending documents. */
function retryAfter(
	deps: Pick<InvoiceDeps, "sql" | "clock">,
	call: Call,
	pending: readonly ShownInvoice[],
): Record<string, string> {
	if (pending.length === 0) return {};
	const plan = call.principal?.plan ?? "free";
	const now = deps.clock.now();
	return { "retry-after": String(Math.min(...pending.map((row) => pollAfterSeconds(plan, row, now)))) };
}

export type InvoiceNames = {
	readonly docIds: readonly string[];
	readonly encfs: readonly string[];
	readonly clientRequestIds: readonly string[];
};

export type Found = {
	readonly byDocId: ReadonlyMap<string, ShownInvoice>;
	/** The newest document, since a number that was given back may have several. */
	readonly byEncf: ReadonlyMap<string, ShownInvoice>;
	readonly byClientRequestId: ReadonlyMap<string, ShownInvoice>;
};

/** Finds documents by ids, numbers and client_request_ids in one query. Foreign, unknown and malformed ids are absent alike. */
export async function findInvoicesByNames(sql: Sql, tenantId: string, names: InvoiceNames): Promise<Found> {
	const docIds = names.docIds.filter(isId);
	const rows = await retryOnFailure(() => findInvoicesByAny(sql, tenantId, { ...names, docIds }));
	return {
		byDocId: new Map(rows.map((row) => [row.docId, row])),
		byEncf: new Map(rows.map((row) => [row.encf, row])),
		byClientRequestId: new Map(
			rows.flatMap((row) => (row.clientRequestId === null ? [] : [[row.clientRequestId, row]])),
		),
	};
}

const LOCATION = { Location: "The document's status." };

export function retryInvoiceOperation(deps: Pick<InvoiceDeps, "sql" | "wake">): Operation {
	return {
		id: "retryInvoice",
		sdk: "invoices.retry",
		method: "POST",
		path: "/v1/invoices/{docId}/retry",
		tag: TAG,
		summary: "Retry a failed invoice",
		description:
			"Sets a `failed` document back to `pending`, unless its failure is not `retryable`. Any other document stays as it is.",
		credentials: NEEDS_BOTH,
		scope: "invoices:write",
		parameters: [docIdParameter, idempotencyKeyParameter()],
		answers: {
			202: { description: "The document is pending again.", schema: InvoiceStatus, headers: LOCATION },
			200: {
				description:
					"There was nothing to retry: the current status. Or the first answer again if an idempotency key is repeated.",
				schema: InvoiceStatus,
				headers: LOCATION,
			},
		},
		problems: ["validation-error", "not-found", "idempotency-in-progress"],
		handle: (call) => retryInvoice(deps, call),
	};
}

async function retryInvoice({ sql, wake }: Pick<InvoiceDeps, "sql" | "wake">, call: Call): Promise<Response> {
	const { tenantId, docId } = await findOwnInvoice(sql, call, call.params.docId);
	const answer = await answerOnce(sql, call, async (tx) => {
		const isReopened = await reopenInvoice(tx, tenantId, docId);
		if (isReopened && (await reviveMessages(tx, OUTBOX_KINDS.submitInvoice, tenantId, [docId])).length === 0)
			await append(tx, { kind: OUTBOX_KINDS.submitInvoice, tenantId, subject: docId });
		const row = await findInvoice(tx, tenantId, docId);
		if (!row) throw new Error(`document ${docId} vanished`);
		const headers = { location: `/v1/invoices/${docId}/status`, ...PRIVATE_NO_STORE };
		return { status: isReopened ? 202 : 200, body: toStatus(row), headers };
	});
	wake();
	return answer;
}
