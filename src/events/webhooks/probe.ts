/**
 * Handler of `webhook.probe`: finds out when an endpoint answers again, and sends its dead letters.
 *
 *                 1, 5, 15, 60, 60 … minutes
 *             ┌────────────────────────────────┐
 *             ▼                                │ not 2xx
 *   death ▶ waiting ──▶ the oldest letter ─────┤
 *                         ▲                    │ 2xx: delivered
 *                         │                    ▼
 *                         └── few are left ◀── draining: the next 8, 16, 32 letters are queued again
 *
 *   ends when: no letter is left · 124 probes in a row failed · the endpoint is disabled, removed, or wants manual recovery
 *
 * Model: an endpoint has at most one probe, stored in its row. The message only keeps the probe going and carries its id, so a message of an
 * ended probe does nothing. A probe begins in the transaction of the first death, or of the change that allows it again. It ends in a
 * transaction that sees no letter under the same lock, so no letter lacks its probe. Rows are locked in the order endpoint, message, delivery.
 *
 * What counts: a probe is one attempt in the log of its letter, with the same delivery id and body and a new signature. It is not one of the
 * letter's six: a failed probe leaves the letter dead with its reason. Gap: its `X-Service-Attempt` is 1, as for any delivery that starts over.
 * Letters that are queued again have a whole schedule of their own, and keep their endpoint's rate and order.
 *
 * Draining: a page is queued after a letter arrived, so an endpoint that fails again costs one page. The next page follows when less than half
 * of the previous one waits for its first attempt, so a slow endpoint is not flooded. Letters that failed since then are on their own schedule.
 *
 * What fails: a letter that is refused for its content must not hide that the endpoint answers. If the oldest letter gets an answer other than
 * 2xx, the probe tries the newest as well. A letter that dies for the fifth time after a probe queued it is left to its owner, and so is one
 * that died because its endpoint was disabled. Manual redelivery may happen at the same time: both lock the delivery's row, and a receiver may
 * get the delivery twice under the same id. Scheduled retries are never touched.
 */
import type { Tx } from "../../platform/database";
import type { PostResult } from "../../platform/egress";
import {
	append,
	done,
	type Handler,
	lockLeasedMessage,
	type Message,
	OUTBOX_KINDS,
	type Outcome,
	snooze,
} from "../../platform/outbox";
import {
	beginProbes,
	type EndpointPlace,
	endProbe,
	getEndpoint,
	lockCompany,
	lockProbed,
	updateProbe,
	type WebhookEndpoint,
} from "../endpoints";
import { disableGone, GONE, requestedDelay, sendRequest, toAttempt, type WebhooksDeps } from "./attempt";
import { reopen } from "./dead-letter";
import { countQueued, findNewest, findOldest, hasDeadLetters, lockRecoverable, writeProbe } from "./probe-store";
import { nextProbeSeconds, pageOf, type RetrySchedule } from "./retry-schedule";
import { type Attempt, findDeliveries } from "./store";

/** How often a drain checks whether it may queue more letters. */
const DRAIN_SECONDS = 0.25;

/**
 * Begins a probe of those endpoints that have none and want one. Call it first in the transaction that writes their dead letters, so
 * that neither exists without the other.
 */
export async function ensureProbes(
	tx: Tx,
	schedule: RetrySchedule,
	endpoints: readonly EndpointPlace[],
): Promise<void> {
	const availableInSeconds = nextProbeSeconds(schedule, 0) ?? 0;
	const begun = await beginProbes(tx, endpoints, availableInSeconds);
	const messages = begun.map(({ id, endpointId: subject, tenantId }) => {
		return { kind: OUTBOX_KINDS.probeEndpoint, tenantId, subject, payload: { probe: id }, availableInSeconds };
	});
	await append(tx, ...messages);
}

/** Begins a probe of a locked endpoint that may be probed again, if it has dead letters. */
export async function resumeProbe(tx: Tx, schedule: RetrySchedule, endpoint: EndpointPlace): Promise<void> {
	if (await hasDeadLetters(tx, endpoint)) await ensureProbes(tx, schedule, [endpoint]);
}

type Probing = Omit<WebhooksDeps, "findCompany" | "metrics">;

type LeasedProbe = { readonly message: Message; readonly probeId: string; readonly endpoint: WebhookEndpoint };
type Tried = { readonly deliveryId: string; readonly attempt: Attempt; readonly result: PostResult };

export function createProbe(deps: Probing): Handler {
	const { sql } = deps;
	return async (message) => {
		const endpoint = await getEndpoint(sql, { tenantId: message.tenantId, id: message.subject });
		const probeId = endpoint?.probeId;
		if (!endpoint || !probeId || probeId !== message.payload.probe) return done;
		const leased = { message, probeId, endpoint };
		const passes = endpoint.probePasses ?? 0;
		if (passes > 0 && (await countQueued(sql, endpoint)) > pageOf(passes) / 2) return snooze(DRAIN_SECONDS);
		const oldest = await findOldest(sql, endpoint);
		if (oldest === undefined) return finish(deps, leased);
		const tried = [await tryDelivery(deps, endpoint, oldest)];
		if (mayConcernOneDelivery(tried[0]?.result)) {
			const newest = await findNewest(sql, endpoint, oldest);
			if (newest !== undefined) tried.push(await tryDelivery(deps, endpoint, newest));
		}
		return conclude(deps, leased, tried);
	};
}

/** True if the answer may concern the one letter. No answer at all concerns every letter. */
function mayConcernOneDelivery(result: PostResult | undefined): boolean {
	return result?.status !== undefined && !result.ok && result.status !== GONE;
}

async function tryDelivery(deps: Probing, endpoint: WebhookEndpoint, deliveryId: string): Promise<Tried> {
	const [delivery] = await findDeliveries(deps.sql, [{ tenantId: endpoint.tenantId, id: deliveryId }]);
	if (!delivery) throw new Error(`the dead letter ${deliveryId} was deleted during its probe`);
	const at = deps.clock.now();
	const request = { deliveryId: delivery.id, event: delivery.event, body: delivery.body, attempt: 1, at };
	const { result } = await sendRequest(deps, endpoint, request);
	return { deliveryId, attempt: toAttempt(at, result), result };
}

/** Ends a probe that has no letter left. If the remaining letters wait for an earlier delivery, the probe waits too. */
function finish({ sql }: Probing, leased: LeasedProbe): Promise<Outcome> {
	return sql.begin(async (tx) => {
		if (!(await lock(tx, leased))) return done;
		if (await hasDeadLetters(tx, leased.endpoint)) return snooze(DRAIN_SECONDS);
		await endProbe(tx, leased.endpoint);
		return done;
	});
}

async function conclude(deps: Probing, leased: LeasedProbe, tried: readonly Tried[]): Promise<Outcome> {
	const { endpoint } = leased;
	const last = tried.at(-1)?.result;
	const outcome = await deps.sql.begin(async (tx) => {
		if (last?.status === GONE) await lockCompany(tx, endpoint.tenantId);
		const hasLease = await lock(tx, leased);
		// The attempts were made, even if another holder has the probe now.
		for (const { deliveryId: id, attempt, result } of tried)
			await writeProbe(tx, { tenantId: endpoint.tenantId, id }, attempt, result.ok);
		if (!hasLease) return done;
		if (last?.ok) return drain(tx, endpoint);
		if (last?.status !== GONE) return wait(tx, deps, endpoint, last);
		await disableGone(tx, endpoint, deps.clock.now());
		return done;
	});
	report(deps, endpoint, outcome, last);
	return outcome;
}

async function drain(tx: Tx, endpoint: WebhookEndpoint): Promise<Outcome> {
	const { id, tenantId, probePasses } = endpoint;
	const passes = (probePasses ?? 0) + 1;
	const page = await lockRecoverable(tx, endpoint, pageOf(passes));
	if (page.length === 0) {
		await endProbe(tx, endpoint);
		return done;
	}
	await reopen(tx, tenantId, id, page, "probe");
	await updateProbe(tx, endpoint, { failures: 0, passes, nextInSeconds: DRAIN_SECONDS });
	return snooze(DRAIN_SECONDS);
}

async function wait(
	tx: Tx,
	schedule: RetrySchedule,
	endpoint: WebhookEndpoint,
	last: PostResult | undefined,
): Promise<Outcome> {
	const { probeFailures, probePasses } = endpoint;
	// An endpoint that answered a moment ago is probed again as soon as one that has just failed.
	const failures = probePasses ? 0 : (probeFailures ?? 0) + 1;
	const nextInSeconds = nextProbeSeconds(schedule, failures, requestedDelay(last));
	if (nextInSeconds === undefined) {
		await endProbe(tx, endpoint);
		return done;
	}
	await updateProbe(tx, endpoint, { failures, passes: 0, nextInSeconds });
	return snooze(nextInSeconds);
}

function report(deps: Probing, endpoint: WebhookEndpoint, outcome: Outcome, last: PostResult | undefined): void {
	const about = { endpoint: endpoint.id, tenantId: endpoint.tenantId };
	if (last?.ok) {
		if (outcome.kind === "snooze") deps.wake();
		if (!endpoint.probePasses)
			deps.log.info({ event: "endpoint.recovered", ...about }, "endpoint recovered; retrying its dead letters");
	} else if (outcome.kind === "done") {
		const probes = (endpoint.probeFailures ?? 0) + 1;
		deps.log.warn({ event: "endpoint.probe_ended", ...about, probes }, "endpoint did not recover; its probe ended");
	}
}

async function lock(tx: Tx, { message, probeId, endpoint }: LeasedProbe): Promise<boolean> {
	const probed = await lockProbed(tx, endpoint, probeId);
	return probed !== undefined && (await lockLeasedMessage(tx, message));
}
