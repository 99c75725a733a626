/** The operations of the delivery log. */
import { type Static, Type } from "@sinclair/typebox";
import { actorOf } from "../../../identity/audit-log";
import type { Sql, Tx } from "../../../platform/database";
import { answerOnce, idempotencyKeyParameter, REPEATED, WRITE_PROBLEMS } from "../../../platform/idempotency";
import {
	type Call,
	checkBody,
	cutPage,
	idFrom,
	json,
	jsonBody,
	NEEDS_BOTH,
	type Operation,
	oneOf,
	type Parameter,
	PRIVATE_NO_STORE,
	pageAnswer,
	pageParameters,
	pathParameter,
	queryParameter,
	readPageQuery,
	readQuery,
	tenantOf,
	textOf,
} from "../../../platform/operation";
import { type Message, msg, Problem } from "../../../platform/problem";
import { ID_PATTERN, parseInstant } from "../../../platform/values";
import { getEndpoint } from "../../endpoints";
import type { WebhooksDeps } from "../attempt";
import { recoverFirstPages, recoverPage, redeliver } from "../dead-letter";
import { DeliveryRecord, DeliveryStatusSchema, DeliverySummary, toDeliveryRecord, toDeliverySummary } from "./record";
import { DeliveryStats, STEPS, type StatsWindow, toDeliveryStats, WINDOWS } from "./stats";
import { findDelivery, listDeliveries, measureDeliveries } from "./store";

const TAG = "Webhooks";

/** A delivery that failed six times. */
const EXAMPLE_ID = "0192f121-7a00-7b11-9c22-334455667788";
const EXAMPLE_DOC_ID = "0192f110-7a00-7b11-9c22-334455667788";
const SELF = `/v1/webhooks/deliveries/${EXAMPLE_ID}`;

const COMMON: Omit<DeliverySummary, "attemptCount" | "lastAttempt"> = {
	...{ deliveryId: EXAMPLE_ID, webhookId: "0192f0a2-7a00-7b11-9c22-334455667788" },
	...{ event: "invoice.accepted", docId: EXAMPLE_DOC_ID, sequence: 48_213 },
	...{ status: "dead", reason: "6 attempts failed, the last with status 500" },
	...{ createdAt: "2026-11-20T14:20:01.000Z", deliveredAt: null, deadAt: "2026-11-20T14:25:44.100Z" },
	_links: { self: SELF, redeliver: `${SELF}/redeliver` },
};
const FIRST = { n: 1, at: "2026-11-20T14:20:01.010Z", durationMs: 10_003, responseStatus: null, error: "timeout" };
const LAST = { n: 6, at: "2026-11-20T14:25:44.000Z", durationMs: 91, responseStatus: 500, error: null };

const EXAMPLE_SUMMARY: DeliverySummary = { ...COMMON, attemptCount: 6, lastAttempt: LAST };

const EXAMPLE_RECORD: DeliveryRecord = {
	...COMMON,
	body: `{"event":"invoice.accepted","docId":"${EXAMPLE_DOC_ID}","trackId":"0192f110-7a00-7b11-9c22-334455667789","tenantId":"0192f0a1-b2c3-7d4e-8f00-112233445566","occurredAt":"2026-11-20T14:20:00.902Z","sequence":48213,"docVersion":4,"encf":"E310000000001","status":"accepted"}`,
	attempts: [
		{ ...FIRST, responseBody: "" },
		{ ...LAST, responseBody: "oops" },
	],
};

/** The same delivery, queued again. */
const EXAMPLE_WAITING: DeliveryRecord = { ...EXAMPLE_RECORD, status: "pending", reason: null, deadAt: null };

type Logging = Pick<WebhooksDeps, "sql" | "clock" | "wake">;

const RecoverRequest = Type.Object(
	{
		since: Type.String({
			pattern: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$",
			faultCode: "invalid-time",
			faultDetail: msg`Send a time such as 2026-11-20T10:00:00Z.`,
			description:
				"Send the deliveries whose `deadAt` is this time or later, in UTC, whatever the time of their events.",
		}),
	},
	{ additionalProperties: false },
);
type RecoverRequest = Static<typeof RecoverRequest>;

const RECOVERED = { schema: Type.Object({ queued: Type.Integer() }), example: { queued: 1_284 } };

const idSchema = (faultCode: string, faultDetail: Message) =>
	Type.String({ pattern: ID_PATTERN, faultCode, faultDetail });
const idOf = (what: string): Parameter => pathParameter("id", `The ${what}'s id.`);

export function deliveryOperations(deps: Logging): Operation[] {
	return [
		{
			id: "listDeliveries",
			sdk: "webhooks.listDeliveries",
			...{ method: "GET", path: "/v1/webhooks/deliveries", tag: TAG, summary: "List deliveries, newest first" },
			description: "Deliveries with their status and next attempt. Read one delivery to see all of its attempts.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [
				queryParameter("status", "`dead`: all retries failed.", DeliveryStatusSchema),
				queryParameter("webhookId", "Deliveries of one webhook.", idSchema("invalid-id", msg`Is not an id.`)),
				queryParameter(
					"event",
					"Exact name, such as `invoice.accepted`.",
					textOf("^[a-z_]+\\.[a-z_]+$", msg`Send the name of an event, such as invoice.accepted.`),
				),
				queryParameter("docId", "Deliveries of one document.", idSchema("invalid-id", msg`Is not an id.`)),
				...pageParameters({ schema: idSchema("invalid-cursor", msg`Is not a cursor.`) }),
			],
			answers: {
				200: pageAnswer("A page of deliveries.", DeliverySummary, EXAMPLE_SUMMARY),
			},
			problems: ["validation-error"],
			handle: (call) => list(deps, call),
		},
		{
			id: "getDelivery",
			sdk: "webhooks.getDelivery",
			...{
				method: "GET",
				path: "/v1/webhooks/deliveries/{id}",
				tag: TAG,
				summary: "Read a delivery with all attempts",
				description: "The sent body, and for each attempt its time, duration, status and the beginning of the answer.",
			},
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [idOf("delivery")],
			answers: { 200: { description: "The delivery.", schema: DeliveryRecord, example: EXAMPLE_RECORD } },
			problems: ["validation-error", "not-found"],
			handle: (call) => read(deps, call),
		},
		{
			id: "getWebhookStats",
			sdk: "webhooks.getStats",
			...{ method: "GET", path: "/v1/webhooks/{id}/stats", tag: TAG, summary: "Read how a webhook's deliveries went" },
			description:
				"Counts and durations of the deliveries whose events happened in the window. A delivery counts with its present status.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:read" },
			parameters: [
				idOf("webhook"),
				{
					...queryParameter(
						"window",
						"How far back: `1h`, `24h` or `7d`. Default: 24h.",
						oneOf(...Object.keys(WINDOWS)),
					),
					example: "24h",
				},
			],
			answers: { 200: { description: "The statistics.", schema: DeliveryStats } },
			problems: ["validation-error", "not-found"],
			handle: (call) => readStats(deps, call),
		},
		{
			id: "redeliver",
			sdk: "webhooks.redeliver",
			...{ method: "POST", path: "/v1/webhooks/deliveries/{id}/redeliver", tag: TAG, summary: "Send a delivery again" },
			description:
				"Sends a dead delivery again, or one that arrived and was lost in your system: the same bytes under the same delivery id, with a new " +
				"schedule of retries. A delivery that is under way stays as it is. If its webhook is gone, the newest other webhook that wants the " +
				"event gets it.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [idOf("delivery"), idempotencyKeyParameter("gets the first answer again, and nothing is sent twice")],
			answers: {
				202: { description: "The delivery, queued again.", schema: DeliveryRecord, example: EXAMPLE_WAITING },
				200: { description: REPEATED, schema: DeliveryRecord, example: EXAMPLE_WAITING },
			},
			problems: ["validation-error", "not-found", "webhook-not-configured", "idempotency-in-progress"],
			handle: (call) => sendAgain(deps, call),
		},
		{
			id: "recoverWebhook",
			sdk: "webhooks.recover",
			...{
				method: "POST",
				path: "/v1/webhooks/{id}/recover",
				tag: TAG,
				summary: "Send a webhook's dead letters again",
			},
			description:
				"Sends all deliveries that died since a time, in the order of each document's events. Enable a disabled webhook first.",
			...{ credentials: NEEDS_BOTH, scope: "webhooks:write" },
			parameters: [idOf("webhook"), idempotencyKeyParameter("gets the first answer again, and nothing is sent twice")],
			body: jsonBody(RecoverRequest, { since: "2026-11-20T10:00:00Z" }),
			answers: {
				202: {
					description: "How many were queued.",
					...RECOVERED,
				},
				200: { description: REPEATED, ...RECOVERED },
			},
			problems: [...WRITE_PROBLEMS, "not-found", "webhook-not-configured"],
			handle: (call) => recoverAll(deps, call),
		},
	];
}

async function readStats({ sql, clock }: Logging, call: Call): Promise<Response> {
	const window = (readQuery(call).window ?? "24h") as StatsWindow;
	const place = { tenantId: tenantOf(call), id: idFrom(call) };
	if (!(await getEndpoint(sql, place))) throw new Problem("not-found");
	const to = clock.now();
	const seconds = WINDOWS[window] * 3_600;
	const from = new Date(to.getTime() - seconds * 1_000);
	const measured = await measureDeliveries(sql, place, { from, to, stepSeconds: seconds / STEPS[window] });
	return json(200, toDeliveryStats(place.id, window, measured), PRIVATE_NO_STORE);
}

async function list({ sql }: Logging, call: Call): Promise<Response> {
	const { limit, query } = readPageQuery(call);
	const rows = await listDeliveries(sql, tenantOf(call), query, limit);
	const { page, place } = cutPage(rows, limit, ({ id }) => id);
	return json(200, { items: page.map((row) => toDeliverySummary(row, baseOf(call))), ...place }, PRIVATE_NO_STORE);
}

async function read(deps: Logging, call: Call): Promise<Response> {
	readQuery(call);
	return json(200, await readRecord(deps.sql, call), PRIVATE_NO_STORE);
}

async function sendAgain({ sql, clock, wake }: Logging, call: Call): Promise<Response> {
	const answer = await answerOnce(sql, call, async (tx) => {
		await redeliver(tx, tenantOf(call), idFrom(call), { actor: actorOf(call), at: clock.now() });
		return { status: 202, body: await readRecord(tx, call), headers: PRIVATE_NO_STORE };
	});
	wake();
	return answer;
}

async function recoverAll({ sql, clock, wake }: Logging, call: Call): Promise<Response> {
	const endpoint = await getEndpoint(sql, { tenantId: tenantOf(call), id: idFrom(call) });
	if (!endpoint) throw new Problem("not-found");
	const doer = { actor: actorOf(call), at: clock.now() };
	const begin = async (value: unknown) => {
		const since = readSince(value);
		if (endpoint.status !== "enabled") {
			throw new Problem("webhook-not-configured", { detail: msg`The webhook is disabled. Enable it first.` });
		}
		return { since, done: await recoverFirstPages(sql, endpoint, since, doer) };
	};
	const end = async (tx: Tx, { since, done }: Awaited<ReturnType<typeof begin>>) => {
		const { queued } = await recoverPage(tx, endpoint, since, doer, done);
		return { status: 202, body: { queued }, headers: PRIVATE_NO_STORE };
	};
	// Gap: very many letters take more than one transaction. An equal request in the meantime takes some of them, and its count is lost.
	const answer = await answerOnce(sql, call, end, { check: begin });
	wake();
	return answer;
}

/** Throws: validation-error. */
function readSince(value: unknown): Date {
	const { since } = checkBody<RecoverRequest>(value, RecoverRequest);
	const from = parseInstant(since);
	if (from) return from;
	const fault = { pointer: "/since", code: "invalid-time", detail: msg`The date does not exist in the calendar.` };
	throw new Problem("validation-error", { faults: [fault] });
}

async function readRecord(sql: Sql | Tx, call: Call): Promise<DeliveryRecord> {
	const delivery = await findDelivery(sql, tenantOf(call), idFrom(call));
	if (!delivery) throw new Problem("not-found");
	return toDeliveryRecord(delivery, delivery.body, delivery.attempts, baseOf(call));
}

const baseOf = ({ principal }: Call) =>
	principal?.tenantId === principal?.ownerId ? "/v1/authority/webhooks" : "/v1/webhooks";
