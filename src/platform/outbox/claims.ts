/**
 * How long a dispatcher may rest after a claim.
 *
 *     first claim ──▶ … ──▶ last claim ──▶ rest until the next message is due ──▶ next walk
 *     └── each continues after the last tenant of the one before ──┘
 *
 * One claim looks at some of the tenants that have ready messages, so a walk through all of them takes several claims. What one of them
 * finds, such as more due messages than slots, holds for the whole walk.
 */

import { withTimeout } from "../concurrency";
import type { Slots } from "./slots";
import type { Claimed, Wanted } from "./store";

/** Slots that become free, and messages that become due, within this time are served by one claim. */
export const COALESCE_MS = 4;

type ClaimWalk = {
	/** The tenant after which the next claim continues; null at the start of a walk. */
	readonly afterTenant: () => string | null;
	/** Takes the result of a claim and returns what to do next. Units: milliseconds of the steady clock. */
	readonly note: (claim: Claimed, asked: Asked) => { readonly restMs: number; readonly hasMore: boolean };
};

/** `limit` of the `free` slots were requested. */
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
				// Slots that were taken when the walk began may be free now, for messages that were passed over then.
				(!isFirst && hasMore && hasTaken);
			const restMs = goesOn ? COALESCE_MS : Math.min(restMaxMs, Math.max(1, nextDueAtMs - performance.now()));
			return { restMs, hasMore };
		},
	};
}

/**
 * Claims that the database has not answered in time. Their connection may be dead, so the loop continues without them; or the database is
 * slow, and they will still take what they requested. So only a few may be overdue, and the loop claims little meanwhile.
 */

/** With this many overdue claims, nothing more is claimed. */
const OVERDUE_MAX = 3;
/** The share of free slots that may be claimed beside an overdue claim, since both may succeed. */
const SHARE_BESIDE_OVERDUE = 0.25;

type OverdueClaims = {
	/** True while nothing may be claimed until an overdue claim has ended. */
	readonly isFull: () => boolean;
	/** How many of the free slots may be claimed now. */
	readonly limitOf: (free: number) => number;
	/** Waits for a claim. Throws when it is overdue, and counts it until it ends. */
	readonly await: <T>(claiming: Promise<T>) => Promise<T>;
};

/** `ended` is called when an overdue claim has succeeded or failed. */
export function createOverdueClaims(limitMs: number, ended: () => void): OverdueClaims {
	let overdue = 0;
	return {
		isFull: () => overdue >= OVERDUE_MAX,
		limitOf: (free) => (overdue > 0 ? Math.ceil(free * SHARE_BESIDE_OVERDUE) : free),
		async await(claiming) {
			try {
				return await withTimeout(claiming, limitMs, () => {
					throw new Error("the database does not answer");
				});
			} catch (error) {
				overdue++;
				const settled = () => {
					overdue--;
					ended();
				};
				claiming.then(settled, settled);
				throw error;
			}
		},
	};
}

/**
 * Keeps a tenant from starving while a kind is full of others' messages.
 *
 * A kind that has reached its limit is not claimed further, and all of its messages may wait for the same slow answer. A tenant with no
 * running message of that kind gets one slot all the same. The guard checks this rarely, because where answers arrive, slots become free
 * long before. It checks one full kind at a time, in turn.
 */

/** Time between two checks. Units: milliseconds. */
const LOOK_EVERY_MS = 250;
/** Pause after a check that was not answered in time: other claims, which come after it, must get their turn on a slow database. */
const UNANSWERED_MS = 10_000;
/** Most tenants that one check lets in. */
const TENANTS_MAX = 64;

type GuardClaim = Pick<Wanted, "kinds" | "limit" | "afterTenant" | "busy" | "roomOfOthers">;

type StarvationGuard = {
	/** What to claim now for tenants that hold nothing of a full kind. */
	readonly ask: (full: readonly string[], nowMs: number) => GuardClaim | undefined;
	/** Takes the result of that claim. */
	readonly note: (claim: Pick<Claimed, "lastTenant">) => void;
	/** How long the loop may rest while kinds are full. */
	readonly restMaxMs: (full: readonly string[], restMaxMs: number) => number;
};

/** `kinds`: those that the guard watches. */
export function createStarvationGuard(
	slots: Pick<Slots, "free" | "listHolders">,
	kinds: readonly string[],
): StarvationGuard {
	let nextAtMs = Number.NEGATIVE_INFINITY;
	let requestedAtMs = Number.NEGATIVE_INFINITY;
	/** For each kind, the tenant after which the next check continues; the kind that was checked last comes last. */
	const walks = new Map<string, string | null>(kinds.map((kind) => [kind, null]));
	let lookedAt: string | undefined;
	const letIn = (full: readonly string[]) => [...walks].find(([kind]) => full.includes(kind));
	return {
		ask(full, nowMs) {
			const [kind, afterTenant] = letIn(full) ?? [];
			if (kind === undefined || afterTenant === undefined || nowMs < nextAtMs || slots.free() <= 0) return undefined;
			nextAtMs = nowMs + UNANSWERED_MS;
			requestedAtMs = nowMs;
			lookedAt = kind;
			walks.delete(kind);
			walks.set(kind, afterTenant);
			const busy = slots.listHolders(kind).map((tenantId) => ({ tenantId, held: 0, room: 0 }));
			return { kinds: [kind], limit: Math.min(TENANTS_MAX, slots.free()), afterTenant, busy, roomOfOthers: 1 };
		},
		note(claim) {
			nextAtMs = requestedAtMs + LOOK_EVERY_MS;
			if (lookedAt !== undefined) walks.set(lookedAt, claim.lastTenant);
		},
		restMaxMs: (full, restMaxMs) => (letIn(full) ? Math.min(LOOK_EVERY_MS, restMaxMs) : restMaxMs),
	};
}
