/** What a thread knows of the authority's services: how fast to call each, when to query, and when to inform other processes. */

import {
	type AuthorityEnvironment,
	createServiceBreaker,
	FAILURES_TO_OPEN,
	type Segment,
	type ServiceName,
} from "../../../authority/client";
import { isNeededToSubmit, recordReachability } from "../../../authority/status";
import type { CircuitBreaker } from "../../../platform/concurrency";
import type { Sql, Tx } from "../../../platform/database";
import { OUTBOX_KINDS } from "../../../platform/outbox";

export type { Channel } from "../../../authority/status";

export type Reachability = {
	readonly breakerOf: (segment: Segment, service: ServiceName) => CircuitBreaker;
	readonly firstQueryOf: (segment: Segment) => FirstQuery;
	/** Informs all processes, for companies whose outage policy is to refuse. */
	readonly note: (segment: Segment, service: ServiceName, isReached: boolean) => Promise<void>;
};

const OPEN_SECONDS = 30;
/** Success is reported when it is news, and once a second because another process may have reported a failure. */
const REPORT_SPACING_MS = 1_000;

export function createReachability(sql: Sql, callsMax: number): Reachability {
	const breakers = new Map<string, CircuitBreaker>();
	const firstQueries = new Map<Segment, FirstQuery>();
	const reportedAtMs = new Map<string, number>();
	return {
		breakerOf(segment, service) {
			const key = `${segment} ${service}`;
			const breaker = breakers.get(key) ?? createServiceBreaker(callsMax);
			breakers.set(key, breaker);
			return breaker;
		},
		firstQueryOf(segment) {
			const question = firstQueries.get(segment) ?? createFirstQuery();
			firstQueries.set(segment, question);
			return question;
		},
		async note(segment, service, isReached) {
			if (!isNeededToSubmit(service)) return;
			const key = `${segment} ${service}`;
			const nowMs = performance.now();
			if (isReached) {
				if (nowMs - (reportedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < REPORT_SPACING_MS) return;
				reportedAtMs.set(key, nowMs);
			} else reportedAtMs.delete(key);
			await recordReachability(sql, { segment, service }, isReached, FAILURES_TO_OPEN, OPEN_SECONDS);
		},
	};
}

/**
 * When a document is queried for the first time after its reception. The pause follows the authority's current speed:
 *
 *   it had decided       a little sooner next time, down to at once
 *   it was still busy    a little later next time
 *
 * Gap: the authority publishes no time; 200 ms on average were observed. A query at once, in the step of the reception, saves one step.
 */
export type FirstQuery = {
	/** Seconds after the reception; 0 queries at once. */
	readonly pauseSeconds: () => number;
	/** Notes the result of a query and the time since the sending. */
	readonly learn: (isDecided: boolean, ageSeconds: number) => void;
};

const PAUSE_START_SECONDS = 0.1;
const PAUSE_MAX_SECONDS = 1;
/** A shorter pause counts as none. */
const PAUSE_MIN_SECONDS = 0.02;

export function createFirstQuery(): FirstQuery {
	let pause = PAUSE_START_SECONDS;
	return {
		pauseSeconds: () => pause,
		learn(isDecided, ageSeconds) {
			if (isDecided) {
				pause = Math.min(pause * 0.95, ageSeconds);
				if (pause < PAUSE_MIN_SECONDS) pause = 0;
			} else {
				const proven = Math.min(PAUSE_MAX_SECONDS, Math.max(PAUSE_MIN_SECONDS, ageSeconds * 1.5));
				pause = Math.max(PAUSE_MIN_SECONDS, Math.min(pause * 1.1, proven));
			}
		},
	};
}

/** Limits per tenant and in all. Other documents keep their times. */
const OF_TENANT_MAX = 100;
const IN_ALL_MAX = 1_000;
/** Spreads the messages, so that they do not all run at once. */
const SPREAD_SECONDS = 3;

/** Expedites waiting documents of companies in this environment, once the authority answers again. */
export async function expediteSubmissions(tx: Tx, environment: AuthorityEnvironment): Promise<void> {
	await tx`
		with waiting as materialized (
			select c.tenant_id, first.id, 'ready'::text as ready_state from companies c cross join lateral (
				select o.id from outbox o
				where o.shard = shard_of(c.tenant_id) and o.tenant_id = c.tenant_id and o.state = 'ready' and o.kind = ${OUTBOX_KINDS.submitInvoice} and o.available_at > now()
				order by o.available_at limit ${OF_TENANT_MAX}
			) first
			where c.authority_environment = ${environment} limit ${IN_ALL_MAX}
		), free as materialized (
			select w.tenant_id, o.id from waiting w cross join lateral (
				select q.id from outbox q where q.tenant_id = w.tenant_id and q.id = w.id and q.state = w.ready_state for update skip locked
			) o
		)
		update outbox o set available_at = least(o.available_at, now() + random() * make_interval(secs => ${SPREAD_SECONDS}))
		from free where o.tenant_id = free.tenant_id and o.id = free.id`;
}
