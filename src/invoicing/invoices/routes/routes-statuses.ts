/** Tells where many documents stand. */
import { type Static, Type } from "@sinclair/typebox";
import type { Sql } from "../../../platform/database";
import {
	type Call,
	JSON_BYTES_MAX,
	json,
	NEEDS_BOTH,
	NOT_KEPT,
	type Operation,
	readJson,
	tenantOf,
} from "../../../platform/operation";
import type { Clock } from "../../../platform/values";
import { BATCH_MAX, checkCount } from "../issue/batch-limits";
import type { InvoiceRow } from "../model/invoice-row";
import { InvoiceStatus, pollAfterSeconds, toStatus } from "../model/status";
import { TAG } from "../view/own-invoice";
import { findMany } from "./find-many";

export type StatusesDeps = { readonly sql: Sql; readonly clock: Clock };

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
		description: `Together at most ${BATCH_MAX}, fewer by plan: 10 for the demo key, 100 free, 250 starter.`,
	},
);
type StatusQuestion = Static<typeof StatusQuestion>;

/** Gap: the answer's shape. In the order asked: first all `docIds`, then all `encfs`, then all `client_request_ids`. */
const StatusAnswers = Type.Object(
	{
		results: Type.Array(
			Type.Object({
				docId: Type.Optional(Type.String({ description: "As asked for." })),
				encf: Type.Optional(Type.String({ description: "As asked for." })),
				client_request_id: Type.Optional(Type.String({ description: "As asked for." })),
				outcome: Type.Union([Type.Literal("found"), Type.Literal("not_found")]),
				invoice: Type.Optional(InvoiceStatus),
			}),
			{ description: "One for each, in the order asked: ids, then numbers, then your own ids." },
		),
		found: Type.Integer(),
		pending: Type.Integer({ description: "How many of those found are pending." }),
	},
	{ $id: "StatusAnswers" },
);
type StatusAnswers = Static<typeof StatusAnswers>;

export function getInvoiceStatusesOperation(deps: StatusesDeps): Operation {
	return {
		id: "getInvoiceStatuses",
		method: "POST",
		path: "/v1/invoices:status",
		tag: TAG,
		summary: "Ask for many verdicts",
		description:
			"Where up to 500 documents stand, fewer by plan. The whole request counts as one poll. What is another tenant's is not_found, " +
			"like what never was.",
		credentials: NEEDS_BOTH,
		scope: "invoices:read",
		limit: "poll",
		body: {
			schema: StatusQuestion,
			limitBytes: JSON_BYTES_MAX,
			required: true,
			mediaTypes: ["application/json"],
			example: { docIds: ["0192f110-7a00-7b11-9c22-334455667788"], encfs: ["E310000000002"] },
		},
		answers: {
			200: {
				description: "One result for each document asked for.",
				schema: StatusAnswers,
				headers: { "Retry-After": "While any is pending: when to ask again." },
			},
		},
		problems: ["malformed-json", "validation-error", "payload-too-large", "unsupported-media-type"],
		handle: (call) => getInvoiceStatuses(deps, call),
	};
}

async function getInvoiceStatuses(deps: StatusesDeps, call: Call): Promise<Response> {
	const { docIds = [], encfs = [], client_request_ids = [] } = await readJson<StatusQuestion>(call);
	checkCount(call, "", docIds.length + encfs.length + client_request_ids.length, "status");
	const asked = { docIds, encfs, clientRequestIds: client_request_ids };
	const { byDocId, byEncf, byClientRequestId } = await findMany(deps.sql, tenantOf(call), asked);
	const results: StatusAnswers["results"] = [
		...docIds.map((docId) => ({ docId, ...toOutcome(byDocId.get(docId)) })),
		...encfs.map((encf) => ({ encf, ...toOutcome(byEncf.get(encf)) })),
		...client_request_ids.map((id) => ({ client_request_id: id, ...toOutcome(byClientRequestId.get(id)) })),
	];
	const rows = [...new Set([...byDocId.values(), ...byEncf.values(), ...byClientRequestId.values()])];
	const pending = rows.filter((row) => row.status === "pending");
	const found = results.filter((result) => result.outcome === "found").length;
	const headers = { ...retryAfter(deps, call, pending), ...NOT_KEPT };
	return json(200, { results, found, pending: pending.length }, headers);
}

function toOutcome(
	row: InvoiceRow | undefined,
): { outcome: "found"; invoice: InvoiceStatus } | { outcome: "not_found" } {
	return row ? { outcome: "found", invoice: toStatus(row) } : { outcome: "not_found" };
}

/** The soonest of those pending: who asks for the youngest hears of the others as well. */
function retryAfter(deps: StatusesDeps, call: Call, pending: readonly InvoiceRow[]): Record<string, string> {
	if (pending.length === 0) return {};
	const plan = call.principal?.plan ?? "free";
	const now = deps.clock.now();
	return { "retry-after": String(Math.min(...pending.map((row) => pollAfterSeconds(plan, row, now)))) };
}
