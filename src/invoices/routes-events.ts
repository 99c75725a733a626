/** Tells what has happened to a document. */
import { Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../database";
import { type Call, json, NEEDS_BOTH, type Operation, PageLimit, readQuery } from "../operation";
import { findHistory } from "./file-store";
import { HistoryEvent, toHistoryEvent } from "./history";
import { docIdParameter, findOwnInvoice, NOT_KEPT, TAG } from "./own-invoice";

export type EventsDeps = { readonly sql: Sql };

const LIMIT_DEFAULT = 25;

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

export function listInvoiceEventsOperation(deps: EventsDeps): Operation {
	return {
		id: "listInvoiceEvents",
		method: "GET",
		path: "/v1/invoices/{docId}/events",
		tag: TAG,
		summary: "Read what has happened to an invoice, oldest first",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		parameters: [
			docIdParameter,
			{
				name: "after",
				in: "query",
				required: false,
				description: "`next` of the page before.",
				schema: Type.String({
					pattern: "^[1-9][0-9]{0,8}$",
					faultCode: "invalid-cursor",
					faultDetail: "Is not a cursor.",
				}),
			},
			{
				name: "limit",
				in: "query",
				required: false,
				description: "1 to 100, default 25.",
				schema: PageLimit,
			},
		],
		answers: {
			200: {
				description: "A page of the document's history.",
				schema: Type.Object({
					items: Type.Array(HistoryEvent),
					count: Type.Integer(),
					partial: Type.Boolean(),
					next: Type.Union([Type.String(), Type.Null()]),
				}),
				example: EXAMPLE,
			},
		},
		problems: ["validation-error", "not-found"],
		handle: (call) => listInvoiceEvents(deps, call),
	};
}

async function listInvoiceEvents(deps: EventsDeps, call: Call): Promise<Response> {
	const { docId } = await findOwnInvoice(deps.sql, call, call.params.docId);
	const { after = "0", limit = String(LIMIT_DEFAULT) } = readQuery(call);
	const rows = await retryOnFailure(() => findHistory(deps.sql, docId, Number(after), Number(limit) + 1));
	const page = rows.slice(0, Number(limit));
	const partial = rows.length > page.length;
	const next = partial ? String(page[page.length - 1]?.version ?? "") : null;
	return json(200, { items: page.map(toHistoryEvent), count: page.length, partial, next }, NOT_KEPT);
}
