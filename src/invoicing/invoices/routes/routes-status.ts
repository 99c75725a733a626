/** Tells where a document stands. */
import type { Sql } from "../../../platform/database";
import { type Call, json, matchesEtag, NEEDS_BEARER, NOT_KEPT, type Operation } from "../../../platform/operation";
import type { Clock } from "../../../platform/values";
import { InvoiceStatus, pollAfterSeconds, toStatus, toStatusEtag } from "../model/status";
import { conditionalParameter, docIdParameter, findOwnInvoice, TAG } from "../view/own-invoice";

const statusHeaders = {
	ETag: "The document's version, and that of its delivery to the buyer.",
	"Retry-After": "While pending: when to ask again.",
};

export type StatusDeps = { readonly sql: Sql; readonly clock: Clock };

export function getInvoiceStatusOperation(deps: StatusDeps): Operation {
	return {
		id: "getInvoiceStatus",
		method: "GET",
		path: "/v1/invoices/{docId}/status",
		tag: TAG,
		summary: "Ask for the verdict",
		description:
			"Poll every 30 seconds, or as `Retry-After` says while the document is pending; webhooks need no polling.",
		credentials: NEEDS_BEARER,
		scope: "invoices:read",
		limit: "poll",
		parameters: [docIdParameter, conditionalParameter],
		answers: {
			200: {
				description: "Where the document stands.",
				schema: InvoiceStatus,
				headers: statusHeaders,
			},
			304: { description: "The document is as the caller knows it.", headers: statusHeaders },
		},
		problems: ["not-found"],
		handle: (call) => getStatus(deps, call),
	};
}

async function getStatus(deps: StatusDeps, call: Call): Promise<Response> {
	const row = await findOwnInvoice(deps.sql, call, call.params.docId);
	const etag = toStatusEtag(row);
	const headers: Record<string, string> = { etag, ...NOT_KEPT };
	if (row.status === "pending") {
		headers["retry-after"] = String(pollAfterSeconds(call.principal?.plan ?? "free", row, deps.clock.now()));
	}
	if (matchesEtag(call.request.headers.get("if-none-match"), etag)) return new Response(null, { status: 304, headers });
	return json(200, toStatus(row), headers);
}
