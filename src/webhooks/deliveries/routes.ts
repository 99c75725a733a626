/** The operations on what was delivered and what was not. */
import { type Static, Type } from "@sinclair/typebox";
import { actorOf } from "../../audit";
import type { Sql } from "../../database";
import { getEndpoint } from "../../endpoints";
import {
	type Call,
	cutPage,
	idFrom,
	JSON_BYTES_MAX,
	json,
	NEEDS_BOTH,
	NOT_KEPT,
	type Operation,
	type Parameter,
	pageParameters,
	pageSchema,
	queryParameter,
	readJson,
	readPageQuery,
	readQuery,
	tenantOf,
	textOf,
} from "../../operation";
import { Problem } from "../../problem";
import { type Clock, ID_PATTERN, parseInstant } from "../../values";
import { recover, redeliver } from "../dead-letter";
import { EXAMPLE_RECORD, EXAMPLE_SUMMARY, EXAMPLE_WAITING } from "./example";
import { DeliveryRecord, DeliveryStatusSchema, DeliverySummary, toDeliveryRecord, toDeliverySummary } from "./record";
import { findDelivery, listDeliveries } from "./store";

const TAG = "Webhooks";

export type DeliveriesDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	/** Tells dispatchers that a message waits. */
	readonly wake: () => void;
};

const RecoverRequest = Type.Object(
	{
		since: Type.String({
			pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$",
			faultCode: "invalid-time",
			faultDetail: "Send a time such as 2026-11-20T10:00:00Z.",
			description: "Letters that died since then, in UTC, whenever their events happened: `deadAt` of a delivery.",
		}),
	},
	{ additionalProperties: false },
);
type RecoverRequest = Static<typeof RecoverRequest>;

const idSchema = (faultCode: string, faultDetail: string) =>
	Type.String({ pattern: ID_PATTERN, faultCode, faultDetail });
const idOf = (what: string): Parameter => ({
	...{ name: "id", in: "path", required: true, description: `The ${what}'s id.`, schema: Type.String() },
});

export function deliveryOperations(deps: DeliveriesDeps): Operation[] {
	return [
		{
			id: "listDeliveries",
			...{ method: "GET", path: "/v1/webhooks/deliveries", tag: TAG, summary: "List deliveries, newest first" },
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [
				queryParameter("status", "`dead` are those whose schedule is used up.", DeliveryStatusSchema),
				queryParameter("webhookId", "Of one webhook.", idSchema("invalid-id", "Is not an id.")),
				queryParameter(
					"event",
					"Exact name, such as `invoice.accepted`.",
					textOf("^[a-z_]+\\.[a-z_]+$", "Send the name of an event, such as invoice.accepted."),
				),
				queryParameter("docId", "Of one document.", idSchema("invalid-id", "Is not an id.")),
				...pageParameters({ schema: idSchema("invalid-cursor", "Is not a cursor.") }),
			],
			answers: {
				200: {
					description: "A page of deliveries.",
					schema: pageSchema(DeliverySummary),
					example: { items: [EXAMPLE_SUMMARY], count: 1, partial: false, next: null },
				},
			},
			problems: ["validation-error"],
			handle: (call) => list(deps, call),
		},
		{
			id: "getDelivery",
			...{
				method: "GET",
				path: "/v1/webhooks/deliveries/{id}",
				tag: TAG,
				summary: "Read a delivery with all attempts",
			},
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [idOf("delivery")],
			answers: { 200: { description: "The delivery.", schema: DeliveryRecord, example: EXAMPLE_RECORD } },
			problems: ["validation-error", "not-found"],
			handle: (call) => read(deps, call),
		},
		{
			id: "redeliver",
			...{ method: "POST", path: "/v1/webhooks/deliveries/{id}/redeliver", tag: TAG, summary: "Send a delivery again" },
			description:
				"A dead letter, or a delivery that arrived and was lost behind your door: the same bytes under the same delivery id, with a new " +
				"schedule of retries. One that is under way stays as it is. If its webhook is gone, the newest other one that wants the event is told.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [idOf("delivery")],
			answers: {
				202: { description: "The delivery as it waits now.", schema: DeliveryRecord, example: EXAMPLE_WAITING },
			},
			problems: ["validation-error", "not-found", "webhook-not-configured"],
			handle: (call) => sendAgain(deps, call),
		},
		{
			id: "recoverWebhook",
			...{
				method: "POST",
				path: "/v1/webhooks/{id}/recover",
				tag: TAG,
				summary: "Send a webhook's dead letters again",
			},
			description:
				"All that died since a time, in the order of their events for each document. Enable a disabled webhook first.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [idOf("webhook")],
			body: {
				...{ schema: RecoverRequest, required: true, limitBytes: JSON_BYTES_MAX, mediaTypes: ["application/json"] },
				example: { since: "2026-11-20T10:00:00Z" },
			},
			answers: {
				202: {
					description: "How many wait now.",
					schema: Type.Object({ queued: Type.Integer() }),
					example: { queued: 1_284 },
				},
			},
			problems: ["malformed-json", "validation-error", "not-found", "webhook-not-configured"],
			handle: (call) => recoverAll(deps, call),
		},
	];
}

async function list({ sql }: DeliveriesDeps, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const rows = await listDeliveries(sql, tenantOf(call), query, limit);
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map((row) => toDeliverySummary(row)), ...place }, NOT_KEPT);
}

async function read(deps: DeliveriesDeps, call: Call): Promise<Response> {
	readQuery(call);
	return json(200, await readRecord(deps, call), NOT_KEPT);
}

async function sendAgain(deps: DeliveriesDeps, call: Call): Promise<Response> {
	readQuery(call);
	await redeliver(deps.sql, tenantOf(call), idFrom(call), { actor: actorOf(call), at: deps.clock.now() });
	deps.wake();
	return json(202, await readRecord(deps, call), NOT_KEPT);
}

async function recoverAll({ sql, clock, wake }: DeliveriesDeps, call: Call): Promise<Response> {
	readQuery(call);
	const endpoint = await getEndpoint(sql, idFrom(call));
	if (endpoint?.tenantId !== tenantOf(call)) throw new Problem("not-found");
	const { since } = await readJson<RecoverRequest>(call);
	const from = parseInstant(since);
	if (!from) {
		const fault = { pointer: "/since", code: "invalid-time", detail: "Is not a time of the calendar." };
		throw new Problem("validation-error", { faults: [fault] });
	}
	if (endpoint.status !== "enabled") {
		throw new Problem("webhook-not-configured", { detail: "The webhook is disabled; enable it first." });
	}
	const queued = await recover(sql, endpoint, from, { actor: actorOf(call), at: clock.now() });
	wake();
	return json(202, { queued }, NOT_KEPT);
}

async function readRecord({ sql }: DeliveriesDeps, call: Call): Promise<DeliveryRecord> {
	const delivery = await findDelivery(sql, tenantOf(call), idFrom(call));
	if (!delivery) throw new Problem("not-found");
	return toDeliveryRecord(delivery, delivery.body, delivery.attempts);
}
