/**
 * Exact counts in the database: polls, and the daily quota of the shared demo key. A refused call is refused from memory for some seconds,
 * since a window's count cannot fall before its oldest call leaves it: a flood costs little.
 */
import { retryOnFailure, type Sql } from "../../platform/database";
import type { Policy } from "./policy";
import { beyond, beyondCount, type LimitHeaders, toHeaders } from "./rate-headers";
import { countCalls, uncountCall } from "./store";

export type Counts = {
	/** Counts all of these calls or none; returns the headers and the time slice. Throws: the policy's slug, with `Retry-After`. */
	readonly count: (
		policy: Policy,
		subjectId: string,
		calls?: number,
	) => Promise<{ readonly headers: LimitHeaders; readonly slot: number }>;
	/** Takes a call back; returns the new headers, undefined when it no longer counts. */
	readonly giveBack: (policy: Policy, subjectId: string, slot: number) => Promise<LimitHeaders | undefined>;
};

/** Short, so that an operator's correction of a row or a clock takes effect soon. */
const REMEMBERED_MS = 5_000;
const REFUSALS_MAX = 10_000;

type Refusal = { readonly freesAt: number; readonly forgetAt: number };

export function createCounts(sql: Sql): Counts {
	const refusals = new Map<string, Refusal>();
	const placeOf = (policy: Policy, subjectId: string) => `${policy.place} ${subjectId}`;
	const count: Counts["count"] = async (policy, subjectId, calls = 1) => {
		// No time makes room for them.
		if (calls > policy.quota) throw beyondCount(policy, policy.windowSeconds);
		const place = placeOf(policy, subjectId);
		const known = refusals.get(place);
		const now = performance.now();
		if (known && now < Math.min(known.forgetAt, known.freesAt)) {
			throw beyondCount(policy, Math.ceil((known.freesAt - now) / 1_000));
		}
		refusals.delete(place);
		const { name, quota, windowSeconds } = policy;
		const { isWithin, used, freesInSeconds, slot } = await retryOnFailure(() =>
			countCalls(sql, { subjectId, policy: name, quota, windowSeconds, calls }),
		);
		if (isWithin) return { headers: toHeaders(policy, Math.max(0, quota - used), freesInSeconds), slot };
		const wait = Math.max(1, freesInSeconds);
		// Fewer calls may still fit.
		if (used < quota) throw beyond(policy, wait, toHeaders(policy, quota - used, wait));
		const refusedAt = performance.now();
		if (refusals.size >= REFUSALS_MAX) refusals.clear();
		// The seconds are rounded up, so the rest of the last one is checked in the database.
		refusals.set(place, {
			freesAt: refusedAt + (freesInSeconds - 1) * 1_000,
			forgetAt: refusedAt + REMEMBERED_MS,
		});
		throw beyondCount(policy, wait);
	};
	const giveBack: Counts["giveBack"] = async (policy, subjectId, slot) => {
		const used = await retryOnFailure(() => uncountCall(sql, { subjectId, policy: policy.name, slot }));
		refusals.delete(placeOf(policy, subjectId));
		if (used === undefined) return undefined;
		return toHeaders(policy, Math.max(0, policy.quota - used), used === 0 ? 0 : policy.windowSeconds);
	};
	return { count, giveBack };
}
