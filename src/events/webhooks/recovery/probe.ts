/**
 * Handler of `webhook.probe`: sends an endpoint's dead letters again by themselves when it lives again.
 *
 *                 1, 5, 15, 60, 60 … minutes
 *             ┌────────────────────────────────┐
 *             ▼                                │ not 2xx
 *   death ▶ waiting ──▶ the oldest letter ─────┤
 *                         ▲                    │ 2xx: delivered
 *                         │                    ▼
 *                         └── few are left ◀── draining: the next 8, 16, 32 letters are queued again
 *
 *   over: no letter is left · 124 probes in a row failed · the endpoint is disabled, removed, or wants recovery by hand
 *
 * Model: an endpoint has one probe at most, in its row; the message only keeps it going and carries the probe's id, so that one of a probe
 * that is over finds nothing to do. It begins in the transaction of the first death, or in that of the change by which its endpoint may be probed
 * again, and ends in one that sees no letter under the same lock, so no letter lacks its probe. Rows are locked in the order endpoint, message, delivery.
 *
 * What counts: a probe is one attempt in the log of its letter, with the same delivery id and body, signed afresh. It is none of the letter's
 * six: in vain it changes nothing of the letter, which stays dead with its reason. Gap: its `X-Service-Attempt` is 1, like that of every
 * sending that begins anew. Letters that are queued again have a whole schedule of their own, and keep their endpoint's rate and order.
 *
 * Draining: a page is queued behind a letter that arrived, so an endpoint that dies again meanwhile costs one page and not the queue; and
 * only while less than half of the page before waits for its first attempt, so one that is slow is not flooded. What failed since is on its
 * schedule and keeps nobody waiting: it may be refused for itself.
 *
 * What fails: a letter that is refused for itself must not hide that the endpoint lives. So where the oldest one gets an answer, but not
 * 2xx, the newest is tried as well. A letter that dies for the fifth time after it was queued by a probe is left to its owner, and so is
 * what died because the endpoint was disabled. Redelivery by hand may come at the same time: the delivery's row is locked by whoever
 * changes it, a receiver may get it twice, as ever under the same id. Scheduled retries are never touched.
 */
import type { Sql, Tx } from "../../../platform/database";
import type { PostResult } from "../../../platform/egress";
import { done, type Handler, lockHeldMessage, type Message, type Outcome, snooze } from "../../../platform/outbox";
import type { Log } from "../../../platform/telemetry";
import { endProbe, getEndpoint, lockCompany, lockProbed, updateProbe, type WebhookEndpoint } from "../../endpoints";
import { reopen } from "../dead-letter";
import { type AttemptDeps, disableGone, GONE, makeAttempt, toAttempt } from "../deliver";
import type { RetrySchedule } from "../retry-schedule";
import { type Attempt, findDeliveries } from "../store";
import { LOOK_SECONDS, nextProbeSeconds, pageOf } from "./schedule";
import { countQueued, findNewest, findOldest, hasLetters, lockLetters, writeProbe } from "./store";

export type ProbeDeps = AttemptDeps &
	RetrySchedule & {
		readonly sql: Sql;
		readonly log: Log;
		/** Tells dispatchers that messages wait. */
		readonly wake: () => void;
	};

/** One letter that was sent, and what came of it. */
type Tried = { readonly letterId: string; readonly attempt: Attempt; readonly result: PostResult };
/** A probe in the hands of its message's holder. */
type Held = { readonly message: Message; readonly probeId: string; readonly endpoint: WebhookEndpoint };

export function createProbe(deps: ProbeDeps): Handler {
	const { sql } = deps;
	return async (message) => {
		const endpoint = await getEndpoint(sql, message.subject);
		const probeId = endpoint?.probeId;
		if (!endpoint || !probeId || probeId !== message.payload.probe) return done;
		const held = { message, probeId, endpoint };
		const passes = endpoint.probePasses ?? 0;
		if (passes > 0 && (await countQueued(sql, endpoint.id)) > pageOf(passes) / 2) return snooze(LOOK_SECONDS);
		const oldest = await findOldest(sql, endpoint);
		if (oldest === undefined) return finish(deps, held);
		const tried = [await tryLetter(deps, endpoint, oldest)];
		if (mayBeForItself(tried[0]?.result)) {
			const newest = await findNewest(sql, endpoint, oldest);
			if (newest !== undefined) tried.push(await tryLetter(deps, endpoint, newest));
		}
		return conclude(deps, held, tried);
	};
}

/** An answer may be meant for one letter; none at all is meant for all. */
function mayBeForItself(result: PostResult | undefined): boolean {
	return result?.status !== undefined && !result.ok && result.status !== GONE;
}

async function tryLetter(deps: ProbeDeps, endpoint: WebhookEndpoint, letterId: string): Promise<Tried> {
	const [letter] = await findDeliveries(deps.sql, [letterId]);
	if (!letter) throw new Error(`the dead letter ${letterId} was forgotten while it was looked at`);
	const at = deps.clock.now();
	const result = await makeAttempt(deps, endpoint, letter, 1, at);
	return { letterId, attempt: toAttempt(at, result), result };
}

/** Without a letter the probe is over; one that only waits for an earlier delivery is waited for. */
function finish({ sql }: ProbeDeps, held: Held): Promise<Outcome> {
	return sql.begin(async (tx) => {
		if (!(await lock(tx, held))) return done;
		if (await hasLetters(tx, held.endpoint.id)) return snooze(LOOK_SECONDS);
		await endProbe(tx, held.endpoint.id);
		return done;
	});
}

async function conclude(deps: ProbeDeps, held: Held, tried: readonly Tried[]): Promise<Outcome> {
	const { endpoint } = held;
	const last = tried.at(-1)?.result;
	const outcome = await deps.sql.begin(async (tx) => {
		if (last?.status === GONE) await lockCompany(tx, endpoint.tenantId);
		const isHeld = await lock(tx, held);
		// They were made, whoever holds the probe now.
		for (const { letterId, attempt, result } of tried) await writeProbe(tx, letterId, attempt, result.ok);
		if (!isHeld) return done;
		if (last?.ok) return drain(tx, endpoint);
		if (last?.status !== GONE) return wait(tx, deps, endpoint, last);
		await disableGone(tx, deps, endpoint);
		return done;
	});
	tell(deps, endpoint, outcome, last);
	return outcome;
}

async function drain(tx: Tx, { id, tenantId, probePasses }: WebhookEndpoint): Promise<Outcome> {
	const passes = (probePasses ?? 0) + 1;
	const page = await lockLetters(tx, id, pageOf(passes));
	if (page.length === 0) {
		await endProbe(tx, id);
		return done;
	}
	await reopen(tx, tenantId, id, page, "probe");
	await updateProbe(tx, id, { failures: 0, passes, nextInSeconds: LOOK_SECONDS });
	return snooze(LOOK_SECONDS);
}

async function wait(
	tx: Tx,
	schedule: RetrySchedule,
	{ id, probeFailures, probePasses }: WebhookEndpoint,
	last: PostResult | undefined,
): Promise<Outcome> {
	// One that answered a moment ago is not long dead: it is asked again as soon as one that has just died.
	const failures = probePasses ? 0 : (probeFailures ?? 0) + 1;
	const mayAskForTime = last?.status === 429 || last?.status === 503;
	const nextInSeconds = nextProbeSeconds(schedule, failures, mayAskForTime ? last.retryAfterSeconds : undefined);
	if (nextInSeconds === undefined) {
		await endProbe(tx, id);
		return done;
	}
	await updateProbe(tx, id, { failures, passes: 0, nextInSeconds });
	return snooze(nextInSeconds);
}

function tell(deps: ProbeDeps, endpoint: WebhookEndpoint, outcome: Outcome, last: PostResult | undefined): void {
	const about = { endpoint: endpoint.id, tenantId: endpoint.tenantId };
	if (last?.ok) {
		if (outcome.kind === "snooze") deps.wake();
		if (!endpoint.probePasses) deps.log.info(about, "an endpoint lives again, its dead letters follow");
	} else if (outcome.kind === "done") {
		deps.log.warn({ ...about, probes: (endpoint.probeFailures ?? 0) + 1 }, "an endpoint is probed no longer");
	}
}

async function lock(tx: Tx, { message, probeId, endpoint }: Held): Promise<boolean> {
	const probed = await lockProbed(tx, { id: probeId, endpointId: endpoint.id });
	return probed !== undefined && (await lockHeldMessage(tx, message));
}
