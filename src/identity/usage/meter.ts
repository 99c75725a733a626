/**
 * Counts answers in memory: two look-ups in maps for each, since registry answers are given by the hundred thousand.
 *
 * An answer counts for the day of the country on which it was given, under the key and the tenant that asked. Whoever could not be told is
 * counted nowhere: a request without a good credential has no owner.
 */
import type { Principal } from "../../platform/operation";
import { type Clock, toLocalIsoDate } from "../../platform/values";

/** Answers by what they were. */
export type Tally = {
	/** 2xx. */
	succeeded: number;
	/** 304: what the caller has is still good. */
	unmodified: number;
	/** 4xx other than 429. */
	refused: number;
	/** 429. Not billed. */
	limited: number;
	/** 5xx. Not billed. */
	failed: number;
	/** Things that batches asked for, where they were answered with 2xx. */
	items: number;
};

/** One row of what was used. */
export type Counted = {
	readonly day: string;
	readonly keyId: string;
	readonly tenantId: string;
	readonly ownerId: string | null;
	readonly operation: string;
	readonly tally: Tally;
};

export type Meter = {
	/** `at` is this moment, for whoever has read it already. Units: milliseconds of `performance.now`. */
	readonly note: (principal: Principal, operation: string, status: number, items: number, at?: number) => void;
	/** Everything counted since it was asked last. */
	readonly take: () => Counted[];
};

/** Stands for no key and for no tenant. */
export const NO_ID = "00000000-0000-0000-0000-000000000000";

type Caller = { readonly principal: Principal; readonly byOperation: Map<string, Tally> };

const SECOND_MS = 1_000;

export function createMeter(clock: Clock): Meter {
	/** By key, then by tenant. */
	let callers = new Map<string, Map<string, Caller>>();
	let over: Counted[] = [];
	let day = toLocalIsoDate(clock.now());
	/** By `performance.now`: to ask for the day each time would cost more than to count. */
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
		note: (principal, operation, status, items, at = performance.now()) => {
			if (at >= askAgainAt) turnDay();
			const { byOperation } = callerOf(principal);
			const tally = byOperation.get(operation) ?? insert(byOperation, operation, newTally());
			tally[kindOf(status)] += 1;
			if (status < 300) tally.items += items;
		},
		take: () => {
			const all = over.concat(collect());
			over = [];
			return all;
		},
	};
}

/** Days begin with a second. */
function untilNextSecond(): number {
	return SECOND_MS - (Date.now() % SECOND_MS);
}

export function newTally(): Tally {
	return { succeeded: 0, unmodified: 0, refused: 0, limited: 0, failed: 0, items: 0 };
}

function kindOf(status: number): Exclude<keyof Tally, "items"> {
	if (status < 300) return "succeeded";
	if (status < 400) return "unmodified";
	if (status === 429) return "limited";
	return status < 500 ? "refused" : "failed";
}

function insert<V>(map: Map<string, V>, key: string, value: V): V {
	map.set(key, value);
	return value;
}
