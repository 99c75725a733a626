/**
 * Handler of `webhook.deliver`: one attempt of one delivery.
 *
 *   pending ──attempt──▶ delivered
 *      ▲   └──fails──▶ failed ──retry──▶ delivered
 *      │                  └──after the last, or 410──▶ dead
 *      └────────────redispatch, probe──────────────────┘
 *
 * Trust: a receiver may get a delivery more than once: after a crash, a lost lease, or a kept connection that it closed during a request.
 * Every repeat has the same id and body; only the signature and its time are new. Events of one document reach an endpoint in order: a later
 * one waits until the earlier one is delivered or dead, unless the endpoint wants no order. Only first attempts wait, for that order, for an
 * endpoint that fails or is slow (circuit-breaker.ts) and for its rate. A scheduled retry never waits. Dead deliveries belong
 * to the endpoint's probe (probe.ts).
 *
 * Failures: of a document that a lane carries, a first attempt's message has no row until it fails. A lane that ends before leaves an event and no
 * delivery of it, which the next lane finds.
 */
import { createBatcher, createRateLimiter } from "../../platform/concurrency";
import { createWriteBatcher } from "../../platform/database";
import { keepConnections, type PostResult } from "../../platform/egress";
import { failpoint } from "../../platform/failpoints";
import { dead, done, type Handler, type Outcome, settled, snooze } from "../../platform/outbox";
import { type EndpointPlace, findEndpoints, lockCompany, lockEndpoint, type WebhookEndpoint } from "../endpoints";
import { disableGone, GONE, requestedDelay, sendRequest, toAttempt, type WebhooksDeps } from "./attempt";
import { createBreaker, type Slot } from "./circuit-breaker";
import { ensureProbes } from "./probe";
import { nextDelaySeconds, type RetrySchedule } from "./retry-schedule";
import { type Attempted, type Delivery, type DeliveryPlace, findDeliveries, markDead, writeAttempts } from "./store";

/** How often a delivery checks whether the one before it has ended. */
const ORDER_PAUSE_SECONDS = 1;

const READS = { itemsMax: 200, runsMax: 2 };
const WRITES = { itemsMax: 100, runsMax: 2 };

export type Delivering = Omit<WebhooksDeps, "findCompany" | "wake">;

export function createDeliver(deps: Delivering): Handler {
	const findDelivery = createBatcher((places: readonly DeliveryPlace[]) => findDeliveries(deps.sql, places), READS);
	const getEndpoint = createBatcher(async (places: readonly EndpointPlace[]) => {
		const wanted = new Map(places.map((one) => [one.id, one]));
		const found = new Map((await findEndpoints(deps.sql, [...wanted.values()])).map((one) => [one.id, one]));
		return places.map(({ id }) => found.get(id));
	}, READS);
	const rateLimiter = createRateLimiter();
	const connections = keepConnections();
	const record = createWriteBatcher(
		(all) => recordAttempts(deps, all),
		(made: Attempted) => made.delivery.id,
		WRITES,
	);
	const breaker = createBreaker();

	/** A slot for the attempt, or the milliseconds to wait: first for the endpoint's breaker, then for its rate. */
	function slotFor({ id, rateLimitPerSecond }: WebhookEndpoint, deliveryId: string, isRetry: boolean): Slot | number {
		// Both count by a clock that no test can set.
		const nowMs = performance.now();
		const slot = breaker.enter(id, isRetry, nowMs);
		if (!slot) return breaker.pauseMs(id, nowMs);
		if (isRetry || rateLimitPerSecond === null) return slot;
		const pauseMs = rateLimiter.take(id, deliveryId, rateLimitPerSecond, nowMs);
		if (pauseMs === 0) return slot;
		slot.leave(undefined, nowMs);
		return pauseMs;
	}

	async function attemptIn(slot: Slot, endpoint: WebhookEndpoint, delivery: Delivery, attempt: number, at: Date) {
		let result: PostResult | undefined;
		try {
			const { id: deliveryId, event, body, docId } = delivery;
			const request = { deliveryId, event, body, docId, attempt, at };
			({ result } = await sendRequest({ ...deps, kept: { connections, owner: endpoint.id } }, endpoint, request));
			return result;
		} finally {
			leave(slot, result, endpoint);
		}
	}

	function leave(slot: Slot, result: PostResult | undefined, { id, tenantId }: WebhookEndpoint): void {
		const change = slot.leave(result?.ok, performance.now());
		deps.metrics?.webhookBreakersOpen.set(breaker.openCount());
		const about = { endpoint: id, tenantId };
		if (change === "opened")
			deps.log.warn(
				{ event: "endpoint.circuit_opened", ...about },
				"endpoint fails; limiting its concurrent deliveries",
			);
		if (change === "closed") deps.log.info({ event: "endpoint.circuit_closed", ...about }, "endpoint answers again");
	}

	return async (message) => {
		const delivery = await findDelivery({ tenantId: message.tenantId, id: message.subject });
		if (!delivery) return dead("the delivery does not exist");
		// A previous holder wrote its result and died before it settled the message.
		if (delivery.status === "delivered") return done;
		if (delivery.status === "dead") return dead(delivery.reason ?? "dead");
		const endpoint = await getEndpoint({ tenantId: delivery.tenantId, id: delivery.endpointId });
		if (endpoint?.status !== "enabled") {
			const reason = endpoint ? "the endpoint is disabled" : "the endpoint was removed";
			await markDead(deps.sql, delivery, reason);
			return dead(reason);
		}
		const waits = delivery.isBehind && endpoint.ordering === "per_document";
		if (waits && message.failures === 0) return snooze(ORDER_PAUSE_SECONDS);
		const slot = slotFor(endpoint, delivery.id, message.failures > 0);
		if (typeof slot === "number") return snooze(slot / 1_000);
		failpoint("before-webhook");
		const at = deps.clock.now();
		const result = await attemptIn(slot, endpoint, delivery, message.failures + 1, at);
		failpoint("after-webhook");
		const outcome = judge(deps, result, message.failures);
		const made = { message, delivery, attempt: toAttempt(at, result), outcome };
		if (outcome.kind === "dead") failpoint("before-dead-letter");
		const hasLease = result.status === GONE ? await recordGone(deps, made, endpoint) : await record(made);
		if (!hasLease) return outcome;
		if (outcome.kind === "dead") {
			failpoint("after-dead-letter");
			const { id, tenantId, endpointId } = delivery;
			const about = { delivery: id, tenantId, endpoint: endpointId, eventName: delivery.event, reason: outcome.reason };
			deps.log.warn({ event: "delivery.dead", ...about }, "delivery failed for the last time; it is a dead letter now");
		}
		return settled(outcome);
	};
}

/** Writes attempts. The endpoint's probe begins in the transaction that writes a dead letter. */
async function recordAttempts(deps: Delivering, all: readonly Attempted[]): Promise<boolean[]> {
	const dying = all.filter(({ outcome }) => outcome.kind === "dead");
	if (dying.length === 0) return writeAttempts(deps.sql, all);
	return deps.sql.begin(async (tx) => {
		const endpoints = dying.map(({ delivery: { endpointId: id, tenantId } }) => ({ id, tenantId }));
		await ensureProbes(tx, deps, endpoints);
		return writeAttempts(tx, all);
	});
}

function judge(schedule: RetrySchedule, result: PostResult, retriesSoFar: number): Outcome {
	if (result.ok) return done;
	if (result.status === GONE) return dead("the endpoint answered 410 and was disabled");
	const after = nextDelaySeconds(schedule, retriesSoFar, requestedDelay(result));
	const fault = result.error ?? `status ${result.status}`;
	if (after === undefined) return dead(`${retriesSoFar + 1} attempts failed, the last with ${fault}`);
	return { kind: "retry", afterSeconds: after, reason: fault, isCounted: true };
}

/** Writes the attempt and disables the endpoint in one transaction. */
function recordGone({ sql, clock }: Delivering, made: Attempted, endpoint: WebhookEndpoint): Promise<boolean> {
	return sql.begin(async (tx) => {
		await lockCompany(tx, endpoint.tenantId);
		await lockEndpoint(tx, endpoint.tenantId, endpoint.id);
		const [hasLease = false] = await writeAttempts(tx, [made]);
		if (hasLease) await disableGone(tx, endpoint, clock.now());
		return hasLease;
	});
}
