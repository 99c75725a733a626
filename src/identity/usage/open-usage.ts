/**
 * Counts the usage of one process in memory, and writes it every few seconds and at shutdown, in one statement each time.
 *
 * A killed process loses what it counted since its last write began. While the database is away the counts wait in memory. A write whose
 * confirmation is lost is repeated under the same id, so that it counts once.
 */
import { createSingleFlight, withTimeout } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import type { Principal } from "../../platform/operation";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId, toLocalIsoDate } from "../../platform/values";
import { type Counted, NO_ID, newTally, type Tally, writeUsage } from "./store";

export type Usage = {
	/** Counts an answer; `items` are the items of a batch. */
	readonly note: Meter["note"];
	/** Writes the counts; also runs every few seconds. */
	readonly flush: () => Promise<void>;
	/** Writes for the last time. */
	readonly close: () => Promise<void>;
};

const WRITE_EVERY_MS = 3_000;
/** How long a shutdown waits for a database that does not answer. */
const LAST_WRITE_MS = 2_000;

type Write = { readonly id: string; readonly counted: readonly Counted[] };

export function openUsage({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Usage {
	const meter = createMeter(clock);
	let unconfirmed: Write | undefined;
	const writing = createSingleFlight<boolean>();

	// First repeats an unconfirmed write; newer counts wait, so that no write grows while the database is away. Then writes those, once:
	// what is counted meanwhile waits for the next time, or a busy process would never stop. Returns whether it has written them.
	const write = async (): Promise<boolean> => {
		if (unconfirmed && !(await confirm(unconfirmed))) return false;
		unconfirmed = take();
		return unconfirmed !== undefined && confirm(unconfirmed);
	};

	const confirm = async ({ id, counted }: Write): Promise<boolean> => {
		try {
			await writeUsage(sql, id, counted);
			unconfirmed = undefined;
			return true;
		} catch (err) {
			log.warn({ event: "usage.write_failed", err, rows: counted.length }, "cannot write usage; retrying");
			return false;
		}
	};

	const take = (): Write | undefined => {
		const counted = meter.take();
		return counted.length > 0 ? { id: newId(), counted } : undefined;
	};

	const writeOnce = (): Promise<boolean> => writing.run("", write);
	const flush = async (): Promise<boolean> => {
		await writing.current("");
		return writeOnce();
	};
	/** Includes what is counted during the write, since no further write follows. */
	const writeAll = async (): Promise<void> => {
		while (await flush());
	};
	const timer = setInterval(writeOnce, WRITE_EVERY_MS);

	return {
		note: meter.note,
		flush: async () => {
			await flush();
		},
		close: async () => {
			clearInterval(timer);
			await withTimeout(writeAll(), LAST_WRITE_MS, () => undefined);
		},
	};
}

/**
 * Counts in memory with two map look-ups each, since registry answers come by the hundred thousand.
 *
 * An answer counts for its local day, under the key and the tenant of its caller. A request without valid credentials has no owner and is
 * not counted.
 */

type Meter = {
	/** `billable` are the items that are billed. `at` is now, for a caller that has read the clock already. Units: milliseconds of `performance.now`. */
	readonly note: (
		principal: Principal,
		operation: string,
		status: number,
		items: number,
		billable?: number,
		at?: number,
	) => void;
	/** Everything counted since the last call. */
	readonly take: () => Counted[];
};

type Caller = { readonly principal: Principal; readonly byOperation: Map<string, Tally> };

const SECOND_MS = 1_000;

export function createMeter(clock: Clock): Meter {
	/** By key, then by tenant. */
	let callers = new Map<string, Map<string, Caller>>();
	let over: Counted[] = [];
	let day = toLocalIsoDate(clock.now());
	/** By `performance.now`: computing the day each time would cost more than counting. */
	let askAgainAt = performance.now() + untilNextSecond();

	const turnDay = (): void => {
		askAgainAt = performance.now() + untilNextSecond();
		const today = toLocalIsoDate(clock.now());
		if (today === day) return;
		over = over.concat(collect());
		day = today;
	};

	const collect = (): Counted[] => {
		const counted = [...callers].flatMap(([keyId, byTenant]) =>
			[...byTenant].flatMap(([tenantId, { principal, byOperation }]) =>
				[...byOperation].map(([operation, tally]) => {
					return { day, keyId, tenantId, ownerId: principal.ownerId, operation, tally };
				}),
			),
		);
		callers = new Map();
		return counted;
	};

	const callerOf = (principal: Principal): Caller => {
		const { keyId = NO_ID, tenantId = NO_ID } = principal;
		const byTenant = callers.get(keyId) ?? insert(callers, keyId, new Map<string, Caller>());
		return byTenant.get(tenantId) ?? insert(byTenant, tenantId, { principal, byOperation: new Map() });
	};

	return {
		note: (principal, operation, status, items, billable = 0, at = performance.now()) => {
			if (at >= askAgainAt) turnDay();
			const { byOperation } = callerOf(principal);
			const tally = byOperation.get(operation) ?? insert(byOperation, operation, newTally());
			tally[kindOf(status)] += 1;
			if (status >= 300) return;
			tally.items += items;
			tally.billable += billable;
		},
		take: () => {
			const all = over.concat(collect());
			over = [];
			return all;
		},
	};
}

/** Days begin on a full second. */
function untilNextSecond(): number {
	return SECOND_MS - (Date.now() % SECOND_MS);
}

function kindOf(status: number): Exclude<keyof Tally, "items" | "billable"> {
	if (status < 300) return "succeeded";
	if (status < 400) return "unmodified";
	if (status === 429) return "limited";
	return status < 500 ? "refused" : "failed";
}

function insert<V>(map: Map<string, V>, key: string, value: V): V {
	map.set(key, value);
	return value;
}
