/** Who holds the slots of a dispatcher. `roomOf` decides how many of them one tenant may fill. */
import type { Message } from "./message";

type SlotsOptions = {
	readonly count: number;
	/** Per kind, the number of running messages from which on no more are started. Kinds without a limit may fill all slots. */
	readonly startedMax?: Readonly<Record<string, number>>;
	/** Those of the limited kinds of which a tenant without a running message gets one all the same. */
	readonly shared?: readonly string[];
};

type Holder = Pick<Message, "tenantId" | "kind">;

export type Slots = {
	readonly free: () => number;
	/** Whether the tenant may take one more slot. */
	readonly hasRoom: (tenantId: string) => boolean;
	/** Whether a message of the kind may start; the tenant has room. */
	readonly isOpen: (holder: Holder) => boolean;
	readonly take: (holder: Holder) => void;
	readonly giveBack: (holder: Holder) => void;
};

export function createSlots({ count, startedMax = {}, shared = [] }: SlotsOptions): Slots {
	let taken = 0;
	const takenByTenant = new Map<string, number>();
	const takenByKind = new Map<string, number>();
	/** By kind and tenant, separated by a space. Only of shared kinds. */
	const takenByKindAndTenant = new Map<string, number>();
	const free = () => count - taken;
	const change = (counts: Map<string, number>, key: string, by: 1 | -1) => {
		const held = (counts.get(key) ?? 0) + by;
		if (held > 0) counts.set(key, held);
		else counts.delete(key);
	};
	const changeAll = ({ tenantId, kind }: Holder, by: 1 | -1) => {
		taken += by;
		change(takenByTenant, tenantId, by);
		change(takenByKind, kind, by);
		if (shared.includes(kind)) change(takenByKindAndTenant, `${kind} ${tenantId}`, by);
	};
	return {
		free,
		hasRoom: (tenantId) => roomOf(takenByTenant.get(tenantId) ?? 0, free()) > 0,
		// All running messages of a full kind may wait for the same slow answer, and another tenant's must not wait for it.
		isOpen: ({ tenantId, kind }) =>
			(takenByKind.get(kind) ?? 0) < (startedMax[kind] ?? count) ||
			(shared.includes(kind) && !takenByKindAndTenant.has(`${kind} ${tenantId}`)),
		take: (holder) => changeAll(holder, 1),
		giveBack: (holder) => changeAll(holder, -1),
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
