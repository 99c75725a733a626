/**
 * Counts this thread's calls to the authority, in memory, and writes the counts down every few seconds.
 *
 *     call ended ──▶ counted: some additions, no wait ──▶ every 3 s, and at once when a service changes between well and ill ──▶ authority_calls
 *
 * Model: a counter is for one minute, environment and service. What is written is its total, in a row that only this thread writes, so a write
 * whose answer was lost is simply repeated. Instants are told to the database as ages, so that machines whose clocks differ agree on what came first.
 * What fails: without a database the counts stay in memory until there is one; a thread that dies takes along what it counted last.
 */

import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import { type CallReport, isOutage } from "../client";
import { type Latencies, noteLatency, toPairs } from "./measured";
import { type StatusService, serviceOfCall } from "./status";
import { type CallCount, writeCallCounts } from "./store";

export type CallCounter = {
	/** Counts a call that has ended. Takes no time and never fails. */
	readonly record: (report: CallReport) => void;
	/** Writes what is not written yet, and goes on. */
	readonly flush: () => Promise<void>;
	/** Writes the rest, as far as the database is there. */
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
/** A change is told soon, together with what happens in the same moment. */
const CHANGE_TOLD_MS = 100;
const MINUTE_MS = 60_000;
/** Without a database no more than this is kept: some hours of all services. */
const COUNTERS_MAX = 5_000;

export function startCallCounter({ sql, clock, log }: CallCounterDeps): CallCounter {
	const process = newId();
	/** By environment and service the one of the current minute, or of the last minute in which there was a call. */
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
			log.warn({ err: error }, "the authority's calls could not be written down; they are with the next write");
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
				// Gap: how long failures took is not among the percentiles: a refused connection would make a dead host the fastest.
				noteLatency(counter.latencies, durationMs);
				counter.okInRow++;
				counter.failuresInRow = 0;
				counter.lastOkMs = performance.now();
			} else {
				counter.failures++;
				counter.failuresInRow++;
				counter.okInRow = 0;
				// It tells of when it began: what is given up after ten seconds may have met an outage that is over.
				counter.lastFailureMs = performance.now() - durationMs;
			}
			unwritten.add(counter);
			if (hasTurned) soon ??= setTimeout(() => void flush(), CHANGE_TOLD_MS);
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
