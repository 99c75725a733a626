/**
 * Who holds the slots of a dispatcher: messages that are carried out, and places kept for messages of transactions that have not committed
 * yet. How many of them one tenant may fill is told by fair-share.ts.
 */
import { roomOf } from "./fair-share";
import type { Message } from "./message";

export type SlotsOptions = {
	readonly count: number;
	/** Kinds of which no more are claimed while so many are held or more; the others may fill all slots. */
	readonly heldMax?: Readonly<Record<string, number>>;
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

export function createSlots({ count, heldMax = {} }: SlotsOptions): Slots {
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
		listOpen: (kinds) => kinds.filter((kind) => (heldByKind.get(kind) ?? 0) < (heldMax[kind] ?? count)),
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
