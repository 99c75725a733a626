/**
 * Who holds the slots of a dispatcher: messages that are carried out, and places kept for messages of transactions that have not committed
 * yet. How many of them one tenant may fill is told by fair-share.ts.
 */
import type { Message } from "./message";

export type SlotsOptions = {
	readonly count: number;
	/** Kinds of which no more are claimed while so many are held or more; the others may fill all slots. */
	readonly claimedMax?: Readonly<Record<string, number>>;
};

export type Slots = {
	readonly free: () => number;
	/** Of these kinds, those of which more may be claimed. */
	readonly listOpen: (kinds: readonly string[]) => string[];
	/** What each tenant that holds slots may take of what is free, and what anybody else may. */
	readonly listRooms: () => { busy: { tenantId: string; held: number; room: number }[]; roomOfOthers: number };
	/** Tenants that hold any of a kind. */
	readonly listHolders: (kind: string) => string[];
	readonly take: (message: Pick<Message, "tenantId" | "kind">) => void;
	readonly giveBack: (message: Pick<Message, "tenantId" | "kind">) => void;
	/** Keeps a slot for a tenant; false when there is none, or the tenant has its part. */
	readonly reserve: (tenantId: string) => boolean;
	readonly release: (tenantId: string) => void;
};

export function createSlots({ count, claimedMax = {} }: SlotsOptions): Slots {
	let taken = 0;
	let reserved = 0;
	/** Reserved slots are a tenant's too. */
	const heldByTenant = new Map<string, number>();
	const heldByKind = new Map<string, number>();
	/** By kind and tenant, a space between them. */
	const heldByPlace = new Map<string, number>();
	const free = () => count - taken - reserved;
	const change = (counts: Map<string, number>, key: string, by: 1 | -1) => {
		const held = (counts.get(key) ?? 0) + by;
		if (held > 0) counts.set(key, held);
		else counts.delete(key);
	};
	return {
		free,
		listOpen: (kinds) => kinds.filter((kind) => (heldByKind.get(kind) ?? 0) < (claimedMax[kind] ?? count)),
		listRooms: () => ({
			busy: [...heldByTenant].map(([tenantId, held]) => ({ tenantId, held, room: roomOf(held, free()) })),
			roomOfOthers: roomOf(0, free()),
		}),
		listHolders: (kind) => [...heldByTenant.keys()].filter((id) => heldByPlace.has(`${kind} ${id}`)),
		take({ tenantId, kind }) {
			taken++;
			change(heldByTenant, tenantId, 1);
			change(heldByKind, kind, 1);
			change(heldByPlace, `${kind} ${tenantId}`, 1);
		},
		giveBack({ tenantId, kind }) {
			taken--;
			change(heldByTenant, tenantId, -1);
			change(heldByKind, kind, -1);
			change(heldByPlace, `${kind} ${tenantId}`, -1);
		},
		reserve(tenantId) {
			if (roomOf(heldByTenant.get(tenantId) ?? 0, free()) <= 0) return false;
			reserved++;
			change(heldByTenant, tenantId, 1);
			return true;
		},
		release(tenantId) {
			reserved--;
			change(heldByTenant, tenantId, -1);
		},
	};
}

/**
 * How many of a dispatcher's slots one tenant may fill.
 *
 * Rule: a tenant holds at most three times what is left free. One tenant alone gets three quarters of the slots, two that flood
 * get 3/7 each, and a part always stays free: a tenant who comes later never waits for a slow one's answers.
 * Source: dynamic thresholds for shared buffers (Choudhury and Hahne, 1998).
 */
const HELD_PER_FREE = 3;

/** Messages that a tenant may take now. One who holds nothing may always take one. */
export function roomOf(held: number, free: number): number {
	if (free <= 0) return 0;
	const room = Math.floor((HELD_PER_FREE * free - held) / (1 + HELD_PER_FREE));
	return Math.max(held === 0 ? 1 : 0, room);
}
