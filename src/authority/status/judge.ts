/**
 * Judges the state of the authority from our calls, its declarations and the breaker. A pure function of these facts and the previous state.
 *
 *                      5 recent failures in a row (authentication: 2)
 *     operational ──────────────────────────────────────────────────────────────▶ outage; maintenance where that is declared
 *        ▲    │  5 % of the last minutes' calls failed, or they are slow             │
 *        │    └───────────────▶ degraded                                             │  2 successes in a row (or one, and 5 s), and no failure for
 *        └── half of that ◀──────┘                                                   │  1.5 s, 3, 5, 10, 20 s …: longer after repeated outages
 *        ▲                                                                           │  in the last minute
 *        └───────────────────────────────────────────────────────────────────────────┘
 *
 * Model: our calls of the last minute outweigh declarations. A service without calls has the state of its host, which the seed reveals. The
 * host of summaries has no such probe, so a service there without calls is unknown. When the main host recovers, earlier failures of its other
 * services are forgotten as the host's. After an outage only minutes that begin later count for `degraded`.
 *
 * The overall state is an outage when authentication, reception or results are out, since nothing can be issued then. Other services only
 * degrade it. A document issued now is in contingency while it cannot be submitted: authentication or reception is away, or the breaker is not
 * closed.
 *
 * Gap: the thresholds. The specification names the states but not their criteria.
 */

import { type Measured, percentileMs } from "./measured";
import {
	type Breaker,
	type Condition,
	type Declared,
	SERVICE_NAMES,
	type ServiceState,
	type Status,
	type StatusService,
	serviceOf,
	type Window,
	worseOf,
} from "./status";

export type Facts = {
	readonly now: Date;
	readonly measured: (service: StatusService, backAt: Date | undefined) => Measured;
	readonly declared: Declared;
	/** Of this environment. */
	readonly windows: readonly Window[];
	readonly breaker: Breaker;
	/** Summaries go to a separate host, about which the seed says nothing. */
	readonly hasFcHost: boolean;
};

/** Failures in a row that make an outage: of the probe, which is repeated at once, and of other services, as for the breaker. */
const FAILURES_OF_HOST = 2;
const FAILURES_OF_SERVICE = 5;
const GOOD_IN_ROW = 2;
/** Older evidence says nothing about the present. A quiet host is probed once a minute. */
const FRESH_MS = 60_000;
const QUIET_MAX_MS = 150_000;
/** A service that answered this recently is not considered out with its host. */
const ANSWERED_LATELY_MS = 10_000;
const DECLARED_FRESH_MS = 300_000;

/** Ends of outages are kept longer than calls count. After recent outages a service has to hold for longer. */
const ENDS_KEPT_MS = 600_000;
const FALLS_COUNT_MS = 60_000;
/** By the number of recent outages. The end of one outage, and of another soon after, is recognised within ten seconds. */
const STANDS_MS = [1_500, 3_000, 5_000, 10_000, 20_000, 40_000, 60_000];
/** After a single success without further calls. */
const STAND_ALONE_MS = 5_000;

const SLOW = { calls: 20, failures: 3, errorRate: 0.05, p50Ms: 3_000, p99Ms: 8_000 };

/** The state now, and since when; `before` is the previous state. */
export function judge(before: Condition, facts: Facts): Condition {
	const host = judgeService("authentication", before, facts, undefined);
	const services = SERVICE_NAMES.map((name) =>
		name === "authentication" ? host : judgeService(name, before, facts, host),
	);
	const status = overall(services);
	return {
		status,
		since: status === before.status ? before.since : facts.now,
		contingency: isContingency(services, facts.breaker),
		services,
	};
}

function judgeService(
	name: StatusService,
	before: Condition,
	facts: Facts,
	host: ServiceState | undefined,
): ServiceState {
	const { now } = facts;
	const last = before.services.find((one) => one.name === name);
	const ends = (last?.outageEnds ?? []).filter((at) => now.getTime() - Date.parse(at) < ENDS_KEPT_MS);
	const backAt = latest([...ends, ...(host?.outageEnds ?? [])]);
	const was = last?.status ?? "unknown";
	const at = (since: Date | undefined) =>
		nextStatus({
			...{ name, was, falls: countSince(ends, now.getTime() - FALLS_COUNT_MS), host, facts, backAt: since },
			measured: facts.measured(name, since),
		});
	const found = at(backAt);
	const hasEnded = isAway(was) && !isAway(found);
	// Failures of an outage that just ended do not count for the current state.
	const status = hasEnded ? at(now) : found;
	const outageEnds = hasEnded ? [...ends, now.toISOString()].slice(-8) : ends;
	return {
		name,
		status,
		since: last && status === was ? last.since : now.toISOString(),
		...(outageEnds.length > 0 ? { outageEnds } : {}),
	};
}

type Case = {
	readonly name: StatusService;
	readonly was: Status;
	readonly falls: number;
	readonly host: ServiceState | undefined;
	readonly measured: Measured;
	readonly facts: Facts;
	readonly backAt: Date | undefined;
};

function nextStatus(one: Case): Status {
	const { name, was, host, measured, facts } = one;
	const away: Status = isMaintained(facts) ? "maintenance" : "outage";
	const isAnswering = measured.lastOkAt !== null && ageMs(facts, measured.lastOkAt) < FRESH_MS;
	if (isFailing(one)) return away;
	// A service has to hold for a while before it counts as recovered.
	if (isAway(was) && measured.calls > 0 && !stands(one)) return away;
	if (isAnswering)
		return worst(judgeAnswers(one), name === "reception" && facts.breaker !== "closed" ? "degraded" : undefined);
	if (away === "maintenance" || isDeclaredAway(name, facts)) return away;
	if (host === undefined) return judgeQuietHost(one);
	if (serviceOf(name).host === "fc" && facts.hasFcHost) return "unknown";
	return worst(
		host.status === "degraded" ? "operational" : host.status,
		name === "reception" && facts.breaker !== "closed" ? "degraded" : undefined,
	);
}

/** Its calls fail, or it has no calls and its host is away. */
function isFailing({ name, host, measured, facts, backAt }: Case): boolean {
	const { lastOkAt, lastFailureAt, failuresInRow } = measured;
	const threshold = name === "authentication" ? FAILURES_OF_HOST : FAILURES_OF_SERVICE;
	const isOfNow = lastFailureAt !== null && ageMs(facts, lastFailureAt) < FRESH_MS;
	if (isOfNow && failuresInRow >= threshold && (backAt === undefined || lastFailureAt > backAt)) return true;
	if (!host || !isAway(host.status) || (serviceOf(name).host === "fc" && facts.hasFcHost)) return false;
	return lastOkAt === null || ageMs(facts, lastOkAt) >= ANSWERED_LATELY_MS;
}

/** True when a service has answered well for long enough after an outage. If only its host was away, it recovers with the host. */
function stands({ falls, host, measured, facts }: Case): boolean {
	const { lastOkAt, lastFailureAt, okInRow } = measured;
	const hostBackAt = latest(host?.outageEnds ?? []);
	if (host && !isAway(host.status) && hostBackAt && (lastFailureAt === null || lastFailureAt <= hostBackAt))
		return true;
	if (lastOkAt === null || ageMs(facts, lastOkAt) >= FRESH_MS) {
		// No calls since the outage, and its failures have become old.
		return lastFailureAt === null || ageMs(facts, lastFailureAt) >= FRESH_MS;
	}
	const standMs = STANDS_MS[Math.min(falls, STANDS_MS.length - 1)] ?? 0;
	const neededMs = okInRow >= GOOD_IN_ROW ? standMs : Math.max(standMs, STAND_ALONE_MS);
	return okInRow > 0 && (lastFailureAt === null || ageMs(facts, lastFailureAt) >= neededMs);
}

/** Judges the calls of the last minutes. A degraded service has to become twice as good to recover. */
function judgeAnswers({ was, measured }: Case): Status {
	const ease = was === "degraded" ? 0.5 : 1;
	const { callsSince, failuresSince, latencies } = measured;
	if (failuresSince >= SLOW.failures && failuresSince / callsSince >= SLOW.errorRate * ease) return "degraded";
	if (callsSince < SLOW.calls) return "operational";
	const isSlow =
		(percentileMs(latencies, 0.5) ?? 0) >= SLOW.p50Ms * ease ||
		(percentileMs(latencies, 0.99) ?? 0) >= SLOW.p99Ms * ease;
	return isSlow ? "degraded" : "operational";
}

/** Without other calls the seed is requested once a minute; older evidence says nothing. */
function judgeQuietHost({ was, measured, facts }: Case): Status {
	const { lastOkAt } = measured;
	if (lastOkAt === null || ageMs(facts, lastOkAt) >= QUIET_MAX_MS) return "unknown";
	return was === "unknown" ? "operational" : was;
}

function isMaintained({ now, windows, declared }: Facts): boolean {
	const isInWindow = windows.some(
		({ from, to }) => Date.parse(from) <= now.getTime() && now.getTime() < Date.parse(to),
	);
	return isInWindow || (isFresh({ now, declared }) && declared.status === "No Disponible");
}

function isDeclaredAway(name: StatusService, facts: Facts): boolean {
	return isFresh(facts) && facts.declared.services?.[name] === "No Disponible";
}

function isFresh({ now, declared }: Pick<Facts, "now" | "declared">): boolean {
	return declared.checkedAt !== undefined && now.getTime() - Date.parse(declared.checkedAt) < DECLARED_FRESH_MS;
}

function overall(services: readonly ServiceState[]): Status {
	const essential = services.filter(({ name }) => isEssential(name));
	const worst = essential.map(({ status }) => status).reduce(worseOf, "unknown");
	if (worst === "outage" || worst === "maintenance" || worst === "unknown") return worst;
	const isHurt = services.some(({ status }) => isAway(status) || status === "degraded");
	return isHurt ? "degraded" : worst;
}

function isContingency(services: readonly ServiceState[], breaker: Breaker): boolean {
	const isNeededToSubmit = ({ name, status }: ServiceState) =>
		(name === "authentication" || name === "reception") && isAway(status);
	return breaker !== "closed" || services.some(isNeededToSubmit);
}

export function isAway(status: Status): boolean {
	return status === "outage" || status === "maintenance";
}

function isEssential(name: string): boolean {
	return SERVICE_NAMES.some((one) => one === name && serviceOf(one).isEssential === true);
}

function worst(a: Status, b: Status | undefined): Status {
	return b === undefined ? a : worseOf(a, b);
}

function countSince(instants: readonly string[], sinceMs: number): number {
	return instants.filter((at) => Date.parse(at) >= sinceMs).length;
}

function ageMs({ now }: Facts, at: Date): number {
	return now.getTime() - at.getTime();
}

function latest(instants: readonly string[]): Date | undefined {
	const last = instants.map((at) => Date.parse(at)).reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
	return Number.isFinite(last) ? new Date(last) : undefined;
}
