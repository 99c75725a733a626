/**
 * Counts this thread's calls to the authority in memory, and writes the counts every few seconds.
 *
 *     call ended ──▶ counted, without waiting ──▶ every 3 s, and at once when a service starts or stops failing ──▶ authority_calls
 *
 * Model: there is one counter per minute, environment and service. Its total is written to a row that only this thread writes, so a write with
 * a lost answer is simply repeated. Instants are sent as ages, so that machines with different clocks agree on their order.
 * What fails: without a database the counts stay in memory; a thread that dies loses its latest counts.
 */

import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import { type CallReport, isOutage } from "../client";
import { addLatency, type Latencies, toPairs } from "./measured";
import { type StatusService, serviceOfCall } from "./status";
import { type CallCount, writeCallCounts } from "./store";

export type CallCounter = {
	/** Counts a call that has ended. Neither waits nor fails. */
	readonly record: (report: CallReport) => void;
	/** Writes what is not yet written, and continues. */
	readonly flush: () => Promise<void>;
	/** Writes the rest, if the database is available. */
	readonly stop: () => Promise<void>;
};

type CallCounterDeps = { readonly sql: Sql; readonly clock: Clock; readonly log: Log };

type Counter = {
	readonly segment: string;
	readonly service: StatusService;
	readonly minuteMs: number;
	calls: number;
	failures: number;
	readonly latencies: Latencies;
	okInRow: number;
	failuresInRow: number;
	lastOkMs: number | undefined;
	lastFailureMs: number | undefined;
};

const FLUSH_EVERY_MS = 3_000;
/** A change is written soon, together with whatever happens in the same moment. */
const CHANGE_FLUSH_MS = 100;
const MINUTE_MS = 60_000;
/** Most counters kept without a database: some hours of all services. */
const COUNTERS_MAX = 5_000;

export function startCallCounter({ sql, clock, log }: CallCounterDeps): CallCounter {
	const process = newId();
	/** By environment and service: the counter of the current minute, or of the last minute with a call. */
	const current = new Map<string, Counter>();
	let unwritten = new Set<Counter>();
	let soon: ReturnType<typeof setTimeout> | undefined;
	let writing: Promise<void> = Promise.resolve();

	function counterFor(segment: string, service: StatusService): Counter {
		const minuteMs = Math.floor(clock.now().getTime() / MINUTE_MS) * MINUTE_MS;
		const key = `${segment} ${service}`;
		const last = current.get(key);
		if (last?.minuteMs === minuteMs) return last;
		const { okInRow = 0, failuresInRow = 0, lastOkMs, lastFailureMs } = last ?? {};
		const streak = { okInRow, failuresInRow, lastOkMs, lastFailureMs };
		const counter = { segment, service, minuteMs, calls: 0, failures: 0, latencies: new Map(), ...streak };
		current.set(key, counter);
		return counter;
	}

	async function write(): Promise<void> {
		if (unwritten.size === 0) return;
		const taken = [...unwritten];
		unwritten = new Set();
		try {
			const nowMs = performance.now();
			await writeCallCounts(
				sql,
				process,
				taken.map((counter) => toCount(counter, nowMs)),
			);
		} catch (error) {
			log.warn(
				{ event: "authority-calls.write_failed", err: error },
				"could not write the counts of calls to the authority; retrying with the next write",
			);
			for (const counter of taken.slice(-COUNTERS_MAX)) unwritten.add(counter);
		}
	}

	function flush(): Promise<void> {
		clearTimeout(soon);
		soon = undefined;
		writing = writing.then(write);
		return writing;
	}

	const timer = setInterval(() => void flush(), FLUSH_EVERY_MS);
	return {
		record({ operation, segment, durationMs, outcome }) {
			const service = serviceOfCall(operation);
			if (service === undefined || outcome === "send-withdrawn" || outcome === "authority-service-absent") return;
			const isOk = outcome === "ok" || !isOutage(outcome);
			const counter = counterFor(segment, service);
			const hasTurned = isOk ? counter.okInRow === 0 : counter.failuresInRow === 0;
			counter.calls++;
			if (isOk) {
				// Gap: latencies of failures are excluded from the percentiles, or refused connections would make a dead host the fastest.
				addLatency(counter.latencies, durationMs);
				counter.okInRow++;
				counter.failuresInRow = 0;
				counter.lastOkMs = performance.now();
			} else {
				counter.failures++;
				counter.failuresInRow++;
				counter.okInRow = 0;
				// A failure counts from its start: a call that timed out after ten seconds may have met an outage that is already over.
				counter.lastFailureMs = performance.now() - durationMs;
			}
			unwritten.add(counter);
			if (hasTurned) soon ??= setTimeout(() => void flush(), CHANGE_FLUSH_MS);
		},
		flush,
		async stop() {
			clearInterval(timer);
			await flush();
		},
	};
}

function toCount(counter: Counter, nowMs: number): CallCount {
	const { segment, service, minuteMs, calls, failures, latencies, okInRow, failuresInRow } = counter;
	const ageOf = (atMs: number | undefined) => (atMs === undefined ? null : Math.max(0, nowMs - atMs) / 1000);
	return {
		...{ segment, service, minute: new Date(minuteMs), calls, failures, okInRow, failuresInRow },
		latencies: toPairs(latencies),
		okAgeSeconds: ageOf(counter.lastOkMs),
		failureAgeSeconds: ageOf(counter.lastFailureMs),
	};
}
