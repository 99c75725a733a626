/**
 * Who comes while a kind is full of others' messages.
 *
 * No more of a kind are claimed while so many are held, and what is held may all wait for the same slow answer. A tenant that holds none of it gets one
 * all the same, so that nobody waits for another's. That is looked at seldom: where answers come, places come free long before. Of several such kinds one
 * is looked at each time, in turn: who holds something of one is a newcomer to the others.
 */
import type { Slots } from "./slots";
import type { Claimed, Wanted } from "./store";

/** Between two looks. Units: milliseconds. */
const LOOK_EVERY_MS = 250;
/** After one that was not answered in time: claims for everybody else, which come behind it, must have their turn on a slow database. */
const UNANSWERED_MS = 10_000;
/** Tenants that are let in at once. */
const TENANTS_MAX = 64;

type Asked = Pick<Wanted, "kinds" | "limit" | "afterTenant" | "busy" | "roomOfOthers">;

export type Newcomers = {
	/** What is to be claimed for them now, of a kind of which no more are claimed for anybody else. */
	readonly ask: (full: readonly string[], nowMs: number) => Asked | undefined;
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
