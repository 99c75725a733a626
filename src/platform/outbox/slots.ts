/**
 * Who holds the slots of a dispatcher: running messages, and reservations for messages whose transaction has not committed. `roomOf`
 * decides how many of them one tenant may fill.
 */
import type { Message } from "./message";

type SlotsOptions = {
	readonly count: number;
	/** Per kind, the number of running messages from which on no more are claimed. Kinds without a limit may fill all slots. */
	readonly claimedMax?: Readonly<Record<string, number>>;
};

export type Slots = {
	readonly free: () => number;
	/** Those of these kinds that may still be claimed. */
	readonly listOpen: (kinds: readonly string[]) => string[];
	/** How many free slots each tenant that holds some may take, and how many any other tenant may. */
	readonly listRooms: () => { busy: { tenantId: string; held: number; room: number }[]; roomOfOthers: number };
	readonly listHolders: (kind: string) => string[];
	readonly take: (message: Pick<Message, "tenantId" | "kind">) => void;
	readonly giveBack: (message: Pick<Message, "tenantId" | "kind">) => void;
	/** Reserves a slot for a tenant; false when none is free or the tenant has its share. */
	readonly reserve: (tenantId: string) => boolean;
	readonly release: (tenantId: string) => void;
};

export function createSlots({ count, claimedMax = {} }: SlotsOptions): Slots {
	let taken = 0;
	let reserved = 0;
	const takenByTenant = new Map<string, number>();
	const takenByKind = new Map<string, number>();
	/** By kind and tenant, separated by a space. */
	const takenByKindAndTenant = new Map<string, number>();
	const free = () => count - taken - reserved;
	const change = (counts: Map<string, number>, key: string, by: 1 | -1) => {
		const held = (counts.get(key) ?? 0) + by;
		if (held > 0) counts.set(key, held);
		else counts.delete(key);
	};
	return {
		free,
		listOpen: (kinds) => kinds.filter((kind) => (takenByKind.get(kind) ?? 0) < (claimedMax[kind] ?? count)),
		listRooms: () => ({
			busy: [...takenByTenant].map(([tenantId, held]) => ({ tenantId, held, room: roomOf(held, free()) })),
			roomOfOthers: roomOf(0, free()),
		}),
		listHolders: (kind) => [...takenByTenant.keys()].filter((id) => takenByKindAndTenant.has(`${kind} ${id}`)),
		take({ tenantId, kind }) {
			taken++;
			change(takenByTenant, tenantId, 1);
			change(takenByKind, kind, 1);
			change(takenByKindAndTenant, `${kind} ${tenantId}`, 1);
		},
		giveBack({ tenantId, kind }) {
			taken--;
			change(takenByTenant, tenantId, -1);
			change(takenByKind, kind, -1);
			change(takenByKindAndTenant, `${kind} ${tenantId}`, -1);
		},
		reserve(tenantId) {
			if (roomOf(takenByTenant.get(tenantId) ?? 0, free()) <= 0) return false;
			reserved++;
			change(takenByTenant, tenantId, 1);
			return true;
		},
		release(tenantId) {
			reserved--;
			change(takenByTenant, tenantId, -1);
		},
	};
}

/**
 * How many of a dispatcher's slots one tenant may fill.
 *
 * Rule: a tenant holds at most three times what is left free. One tenant alone gets three quarters of the slots, two busy tenants get 3/7
 * each, and some always stay free. So a tenant that comes later never waits for another's slow answers. Source: dynamic thresholds for
 * shared buffers (Choudhury and Hahne, 1998).
 */
const TAKEN_PER_FREE = 3;

/** How many more messages a tenant may take. A tenant that holds nothing may always take one. */
export function roomOf(held: number, free: number): number {
	if (free <= 0) return 0;
	const room = Math.floor((TAKEN_PER_FREE * free - held) / (1 + TAKEN_PER_FREE));
	return Math.max(held === 0 ? 1 : 0, room);
}
