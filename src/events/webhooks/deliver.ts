/**
 * Handler of `webhook.deliver`: one attempt of one delivery.
 *
 *   pending ──attempt──▶ delivered
 *      ▲   └──fails──▶ failed ──retry──▶ delivered
 *      │                  └──after the last, or 410──▶ dead
 *      └────────────redispatch, probe──────────────────┘
 *
 * Trust: a receiver may get a delivery more than once (a crash after its answer, a lost lease, a kept connection that it closed
 * while it was asked), always under the same id and with the same body; only the signature and its time are new. Events of one
 * document reach an endpoint in their order: a later one waits until the earlier is delivered or dead, unless the endpoint wants no
 * order. Only first attempts wait, for that, for an endpoint that fails or is slow (circuit-breaker.ts) and for its rate (rate-limiter.ts), so a
 * scheduled retry is never moved. What is dead is a probe's (recovery/probe.ts).
 */
import { createBatcher, createRateLimiter } from "../../platform/concurrency";
import { createWriteBatcher, type Sql, type Tx } from "../../platform/database";
import { type EgressPolicy, keepConnections, type PostOptions, type PostResult, postOnce } from "../../platform/egress";
import { faultPoint } from "../../platform/failpoints";
import { dead, done, type Handler, type Outcome, retry, settled, snooze } from "../../platform/outbox";
import type { Envelope } from "../../platform/secrets";
import type { Log, Metrics } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { enqueueEvent } from "../catalogue/enqueue";
import {
	countCompanyVersion,
	disableEndpoint,
	findEndpoints,
	lockCompany,
	lockEndpoint,
	openEndpointSecrets,
	type WebhookEndpoint,
} from "../endpoints";
import { createBreaker, type Seat } from "./circuit-breaker";
import { toDeliveryHeaders } from "./delivery-headers";
import { ensureProbes } from "./recovery/begin";
import { nextDelaySeconds, type RetrySchedule } from "./retry-schedule";
import { type Attempted, type Delivery, findDeliveries, markDead, writeAttempts } from "./store";

export type AttemptDeps = {
	readonly envelope: Envelope;
	readonly policy: EgressPolicy;
	/** The real time: signatures never follow a test clock. */
	readonly clock: Clock;
	/** Narrower limits and another resolver than those of `postOnce`. */
	readonly limits?: Pick<PostOptions, "connectTimeoutMs" | "totalTimeoutMs" | "bytesMax" | "resolve">;
};

export type DeliveryDeps = AttemptDeps &
	RetrySchedule & {
		readonly sql: Sql;
		readonly log: Log;
		readonly metrics?: Pick<Metrics, "webhookBreakersOpen">;
	};

/** How often a delivery looks whether the one before it is through. */
const ORDER_PAUSE_SECONDS = 1;
export const GONE = 410;

const READS = { itemsMax: 200, runsMax: 2 };
const WRITES = { itemsMax: 100, runsMax: 2 };

export function createDeliver(deps: DeliveryDeps): Handler {
	const findDelivery = createBatcher((ids: readonly string[]) => findDeliveries(deps.sql, ids), READS);
	const getEndpoint = createBatcher(async (ids: readonly string[]) => {
		const found = new Map((await findEndpoints(deps.sql, [...new Set(ids)])).map((one) => [one.id, one]));
		return ids.map((id) => found.get(id));
	}, READS);
	const rateLimiter = createRateLimiter();
	const connections = keepConnections();
	const record = createWriteBatcher(
		(all) => recordAttempts(deps, all),
		(made: Attempted) => made.deliveryId,
		WRITES,
	);

	const breaker = createBreaker();

	/** A seat for the attempt, or the milliseconds that it waits: for its endpoint to take it, then for its turn by the endpoint's rate. */
	function seatFor({ id, rateLimitPerSecond }: WebhookEndpoint, deliveryId: string, isRetry: boolean): Seat | number {
		// Seats and rates count by a clock that nobody sets.
		const nowMs = performance.now();
		const seat = breaker.enter(id, isRetry, nowMs);
		if (!seat) return breaker.pauseMs(id, nowMs);
		if (isRetry || rateLimitPerSecond === null) return seat;
		const pauseMs = rateLimiter.take(id, deliveryId, rateLimitPerSecond, nowMs);
		if (pauseMs === 0) return seat;
		seat.leave(undefined, nowMs);
		return pauseMs;
	}

	async function attemptIn(seat: Seat, ...what: [WebhookEndpoint, Delivery, number, Date]): Promise<PostResult> {
		let result: PostResult | undefined;
		try {
			result = await makeAttempt({ ...deps, kept: { connections, owner: what[0].id } }, ...what);
			return result;
		} finally {
			leave(seat, result, what[0]);
		}
	}

	function leave(seat: Seat, result: PostResult | undefined, { id, tenantId }: WebhookEndpoint): void {
		const change = seat.leave(result?.ok, performance.now());
		deps.metrics?.webhookBreakersOpen.set(breaker.openCount());
		if (change === "opened")
			deps.log.warn({ endpoint: id, tenantId }, "an endpoint fails and gets few deliveries at once");
		if (change === "closed") deps.log.info({ endpoint: id, tenantId }, "an endpoint answers again");
	}

	return async (message) => {
		const delivery = await findDelivery(message.subject);
		if (!delivery) return dead("the delivery does not exist");
		// A holder that died after writing its result and before settling the message.
		if (delivery.status === "delivered") return done;
		if (delivery.status === "dead") return dead(delivery.reason ?? "dead");
		const endpoint = await getEndpoint(delivery.endpointId);
		if (endpoint?.status !== "enabled") {
			const reason = endpoint ? "the endpoint is disabled" : "the endpoint was removed";
			await markDead(deps.sql, delivery.id, reason);
			return dead(reason);
		}
		const waits = delivery.isBehind && endpoint.ordering === "per_document";
		if (waits && message.failures === 0) return snooze(ORDER_PAUSE_SECONDS);
		const seat = seatFor(endpoint, delivery.id, message.failures > 0);
		if (typeof seat === "number") return snooze(seat / 1_000);
		const at = deps.clock.now();
		const result = await attemptIn(seat, endpoint, delivery, message.failures + 1, at);
		faultPoint("after-webhook");
		const outcome = judge(deps, result, message.failures);
		const made = { message, deliveryId: delivery.id, endpointId: endpoint.id, attempt: toAttempt(at, result), outcome };
		if (outcome.kind === "dead") faultPoint("before-dead-letter");
		const isHeld = result.status === GONE ? await recordGone(deps, made, endpoint) : await record(made);
		if (!isHeld) return outcome;
		if (outcome.kind === "dead") {
			faultPoint("after-dead-letter");
			const { id, tenantId, endpointId, event } = delivery;
			deps.log.warn({ delivery: id, tenantId, endpoint: endpointId, event, reason: outcome.reason }, "a dead letter");
		}
		return settled(outcome);
	};
}

/** A death is written with the probe that looks after it. */
async function recordAttempts(deps: DeliveryDeps, all: readonly Attempted[]): Promise<boolean[]> {
	const dying = all.filter(({ outcome }) => outcome.kind === "dead").map(({ endpointId }) => endpointId);
	if (dying.length === 0) return writeAttempts(deps.sql, all);
	return deps.sql.begin(async (tx) => {
		await ensureProbes(tx, deps, [...new Set(dying)]);
		return writeAttempts(tx, all);
	});
}

/** One request to the endpoint, signed for this moment. */
export async function makeAttempt(
	deps: AttemptDeps & Pick<PostOptions, "kept">,
	endpoint: WebhookEndpoint,
	delivery: Delivery,
	attempt: number,
	at: Date,
): Promise<PostResult> {
	const body = Buffer.from(delivery.body);
	const secrets = openEndpointSecrets(deps.envelope, endpoint, at);
	const headers = toDeliveryHeaders({ secrets, deliveryId: delivery.id, event: delivery.event, body, attempt, at });
	const { kept, policy } = deps;
	return postOnce({ ...deps.limits, ...(kept ? { kept } : {}), url: endpoint.url, headers, body, policy });
}

function judge(schedule: RetrySchedule, result: PostResult, retriesSoFar: number): Outcome {
	if (result.ok) return done;
	if (result.status === GONE) return dead("the endpoint answered 410 and was disabled");
	const mayAskForTime = result.status === 429 || result.status === 503;
	const after = nextDelaySeconds(schedule, retriesSoFar, mayAskForTime ? result.retryAfterSeconds : undefined);
	const fault = result.error ?? `status ${result.status}`;
	if (after === undefined) return dead(`${retriesSoFar + 1} attempts failed, the last with ${fault}`);
	return retry(after, fault);
}

export function toAttempt(at: Date, { durationMs, status, error, responseBody }: PostResult): Attempted["attempt"] {
	return { at, durationMs, responseStatus: status ?? null, error: error ?? null, responseBody };
}

/** The endpoint is disabled with the attempt that told so. */
function recordGone(deps: DeliveryDeps, made: Attempted, endpoint: WebhookEndpoint): Promise<boolean> {
	return deps.sql.begin(async (tx) => {
		await lockCompany(tx, endpoint.tenantId);
		await lockEndpoint(tx, endpoint.tenantId, endpoint.id);
		const [isHeld = false] = await writeAttempts(tx, [made]);
		if (isHeld) await disableGone(tx, deps, endpoint);
		return isHeld;
	});
}

/** Disables an endpoint that answered 410; the tenant's other endpoints and its feed hear of it. Call it under the company's lock. */
export async function disableGone(
	tx: Tx,
	{ clock }: Pick<AttemptDeps, "clock">,
	{ id, url, tenantId }: WebhookEndpoint,
): Promise<void> {
	if (!(await disableEndpoint(tx, id))) return;
	await countCompanyVersion(tx, tenantId);
	const about = { docId: id, trackId: id, webhook: { id, url, reason: "The endpoint answered 410 Gone." } };
	await enqueueEvent(tx, { event: "webhook.disabled", tenantId, occurredAt: clock.now(), ...about });
}
