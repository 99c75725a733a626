/**
 * What is counted exactly, in the database: polls, and what the shared demo key may do in a day. A call that is refused is refused again for
 * some seconds without asking, since the count of a window cannot fall before its oldest call is forgotten: who floods costs little.
 */
import { retryOnFailure, type Sql } from "../database";
import type { Policy } from "./policy";
import { beyond, type LimitHeaders, toHeaders } from "./rate-headers";
import { countCall } from "./store";

/** Counts a call; the headers that tell what is left. Throws: the policy's slug, with `Retry-After`. */
export type Counts = (policy: Policy, subjectId: string) => Promise<LimitHeaders>;

/** Short, so that a row or a clock that an operator sets right counts soon. */
const REMEMBERED_MS = 5_000;
const REFUSALS_MAX = 10_000;

type Refusal = { readonly freesAt: number; readonly forgetAt: number };

export function createCounts(sql: Sql): Counts {
	const refusals = new Map<string, Refusal>();
	return async (policy, subjectId) => {
		const place = `${policy.place} ${subjectId}`;
		const known = refusals.get(place);
		const now = performance.now();
		if (known && now < Math.min(known.forgetAt, known.freesAt)) {
			throw refuse(policy, Math.ceil((known.freesAt - now) / 1_000));
		}
		refusals.delete(place);
		const { name, quota, windowSeconds } = policy;
		const { isWithin, used, freesInSeconds } = await retryOnFailure(() =>
			countCall(sql, { subjectId, policy: name, quota, windowSeconds }),
		);
		if (isWithin) return toHeaders(policy, Math.max(0, quota - used), freesInSeconds);
		const refusedAt = performance.now();
		if (refusals.size >= REFUSALS_MAX) refusals.clear();
		// The seconds are rounded up, so what is left of the last one is asked for.
		refusals.set(place, {
			freesAt: refusedAt + (freesInSeconds - 1) * 1_000,
			forgetAt: refusedAt + REMEMBERED_MS,
		});
		throw refuse(policy, Math.max(1, freesInSeconds));
	};
}

function refuse(policy: Policy, retryAfter: number) {
	return beyond(policy, retryAfter, toHeaders(policy, 0, retryAfter));
}
