/**
 * How long a dispatcher may rest after a claim.
 *
 *     first claim ──▶ … ──▶ last claim ──▶ rest, until the next message is due ──▶ the next walk
 *     └── each goes on behind the last tenant that the one before looked at ──┘
 *
 * One claim looks at a part of the tenants that have something ready, so a walk through all of them takes several. What only some of its claims
 * have met, as that more is due than there were slots for, holds for the walk.
 */

import { withTimeout } from "../concurrency";
import type { Slots } from "./slots";
import type { Claimed, Wanted } from "./store";

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

/**
 * Claims that the database has not answered in time. Their connections may have died without a word, so the loop goes on beside them; or the
 * database is slow, and then they take what they asked for after all. So few are let be late at once, and little is claimed beside them.
 */

/** While so many are late nothing more is claimed. */
const LATE_MAX = 3;
/** What is claimed beside a late one, of what is free: both may take what they asked for. */
const SHARE_BESIDE_LATE = 0.25;

export type LateClaims = {
	/** Nothing is to be claimed until one of them has ended. */
	readonly isFull: () => boolean;
	/** How many messages may be claimed now, of so many free slots. */
	readonly limitOf: (free: number) => number;
	/** The claim's answer; throws when it is late, and counts it until it has ended. */
	readonly await: <T>(claiming: Promise<T>) => Promise<T>;
};

/** `ended` is called when a late claim has been answered, or has failed. */
export function createLateClaims(limitMs: number, ended: () => void): LateClaims {
	let late = 0;
	return {
		isFull: () => late >= LATE_MAX,
		limitOf: (free) => (late > 0 ? Math.ceil(free * SHARE_BESIDE_LATE) : free),
		async await(claiming) {
			try {
				return await withTimeout(claiming, limitMs, () => {
					throw new Error("the database does not answer");
				});
			} catch (error) {
				late++;
				const settled = () => {
					late--;
					ended();
				};
				claiming.then(settled, settled);
				throw error;
			}
		},
	};
}

/**
 * Who comes while a kind is full of others' messages.
 *
 * No more of a kind are claimed while so many are held, and what is held may all wait for the same slow answer. A tenant that holds none of it gets one
 * all the same, so that nobody waits for another's. That is looked at seldom: where answers come, places come free long before. Of several such kinds one
 * is looked at each time, in turn: who holds something of one is a newcomer to the others.
 */

/** Between two looks. Units: milliseconds. */
const LOOK_EVERY_MS = 250;
/** After one that was not answered in time: claims for everybody else, which come behind it, must have their turn on a slow database. */
const UNANSWERED_MS = 10_000;
/** Tenants that are let in at once. */
const TENANTS_MAX = 64;

type NewcomerClaim = Pick<Wanted, "kinds" | "limit" | "afterTenant" | "busy" | "roomOfOthers">;

export type Newcomers = {
	/** What is to be claimed for them now, of a kind of which no more are claimed for anybody else. */
	readonly ask: (full: readonly string[], nowMs: number) => NewcomerClaim | undefined;
	/** Takes in what the claim has told. */
	readonly note: (claim: Pick<Claimed, "lastTenant">) => void;
	/** How long the loop may rest beside such kinds; without any as long as it likes. */
	readonly restMaxMs: (full: readonly string[], restMaxMs: number) => number;
};

/** `kinds`: those of which newcomers are let in. */
export function createNewcomers(slots: Pick<Slots, "free" | "listHolders">, kinds: readonly string[]): Newcomers {
	let nextAtMs = Number.NEGATIVE_INFINITY;
	let askedAtMs = Number.NEGATIVE_INFINITY;
	/** Behind which tenant the next look at a kind goes on; the kind that was looked at last stands last. */
	const walks = new Map<string, string | null>(kinds.map((kind) => [kind, null]));
	let lookedAt: string | undefined;
	const letIn = (full: readonly string[]) => [...walks].find(([kind]) => full.includes(kind));
	return {
		ask(full, nowMs) {
			const [kind, afterTenant] = letIn(full) ?? [];
			if (kind === undefined || afterTenant === undefined || nowMs < nextAtMs || slots.free() <= 0) return undefined;
			nextAtMs = nowMs + UNANSWERED_MS;
			askedAtMs = nowMs;
			lookedAt = kind;
			walks.delete(kind);
			walks.set(kind, afterTenant);
			const busy = slots.listHolders(kind).map((tenantId) => ({ tenantId, held: 0, room: 0 }));
			return { kinds: [kind], limit: Math.min(TENANTS_MAX, slots.free()), afterTenant, busy, roomOfOthers: 1 };
		},
		note(claim) {
			nextAtMs = askedAtMs + LOOK_EVERY_MS;
			if (lookedAt !== undefined) walks.set(lookedAt, claim.lastTenant);
		},
		restMaxMs: (full, restMaxMs) => (letIn(full) ? Math.min(LOOK_EVERY_MS, restMaxMs) : restMaxMs),
	};
}
