/** Tells what has happened to a document. */
import { Type } from "@sinclair/typebox";
import { retryOnFailure, type Sql } from "../../../platform/database";
import {
	type Call,
	cutPage,
	json,
	NEEDS_BOTH,
	NOT_KEPT,
	type Operation,
	pageParameters,
	pageSchema,
	readPageQuery,
} from "../../../platform/operation";
import { findHistory } from "../model/file-store";
import { HistoryEvent, toHistoryEvent } from "../model/history";
import { docIdParameter, findOwnInvoice, TAG } from "../view/own-invoice";

export type EventsDeps = { readonly sql: Sql };

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
			...pageParameters({
				schema: Type.String({
					pattern: "^[1-9][0-9]{0,8}$",
					faultCode: "invalid-cursor",
					faultDetail: "Is not a cursor.",
				}),
			}),
		],
		answers: {
			200: {
				description: "A page of the document's history.",
				schema: pageSchema(HistoryEvent),
				example: EXAMPLE,
			},
		},
		problems: ["validation-error", "not-found"],
		handle: (call) => listInvoiceEvents(deps, call),
	};
}

async function listInvoiceEvents(deps: EventsDeps, call: Call): Promise<Response> {
	const { docId } = await findOwnInvoice(deps.sql, call, call.params.docId);
	const { limit, query } = readPageQuery(call);
	const rows = await retryOnFailure(() => findHistory(deps.sql, docId, Number(query.after ?? 0), limit + 1));
	const { page, place } = cutPage(rows, limit, ({ version }) => String(version));
	return json(200, { items: page.map(toHistoryEvent), ...place }, NOT_KEPT);
}
