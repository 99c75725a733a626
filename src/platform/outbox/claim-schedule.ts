/**
 * How long a dispatcher may rest after a claim.
 *
 *     first claim ──▶ … ──▶ last claim ──▶ rest, until the next message is due ──▶ the next walk
 *     └── each goes on behind the last tenant that the one before looked at ──┘
 *
 * One claim looks at a part of the tenants that have something ready, so a walk through all of them takes several. What only some of its claims
 * have met, as that more is due than there were slots for, holds for the walk.
 */
import type { Claimed } from "./store";

/** Slots that free, and messages that become due, within so long are served by one claim. */
export const GATHER_MS = 4;

export type ClaimWalk = {
	/** Behind whom the next claim goes on; null where a walk begins. */
	readonly afterTenant: () => string | null;
	/** Takes in what a claim has told and answers what is to be done next. Units: milliseconds of the steady clock. */
	readonly note: (claim: Claimed, asked: Asked) => { readonly restMs: number; readonly hasMore: boolean };
};

/** `limit` of the `free` slots were asked for. */
type Asked = { readonly atMs: number; readonly limit: number; readonly free: number; readonly restMaxMs: number };

export function createClaimWalk(): ClaimWalk {
	let afterTenant: string | null = null;
	let hasTaken = false;
	let hasMore = false;
	let nextDueAtMs = Number.POSITIVE_INFINITY;
	return {
		afterTenant: () => afterTenant,
		note(claim, { atMs, limit, free, restMaxMs }) {
			const isFirst = afterTenant === null;
			const dueAtMs = claim.nextDueSeconds === null ? Number.POSITIVE_INFINITY : atMs + claim.nextDueSeconds * 1000;
			hasTaken = claim.messages.length > 0 || (!isFirst && hasTaken);
			hasMore = claim.hasMore || (!isFirst && hasMore);
			nextDueAtMs = isFirst ? dueAtMs : Math.min(dueAtMs, nextDueAtMs);
			afterTenant = claim.lastTenant;
			const goesOn =
				(claim.messages.length === limit && limit < free) ||
				claim.isContested ||
				claim.lastTenant !== null ||
				// Slots that were taken at its beginning may be free at its end, for those who came too late then.
				(!isFirst && hasMore && hasTaken);
			const restMs = goesOn ? GATHER_MS : Math.min(restMaxMs, Math.max(1, nextDueAtMs - performance.now()));
			return { restMs, hasMore };
		},
	};
}
