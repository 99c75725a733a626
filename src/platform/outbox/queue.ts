/**
 * Due messages that wait in a lane's memory for a slot: for each tenant and kind those that have been read, the oldest first. Tenants are
 * served in turn, whatever the length of their queues.
 */
import type { DueRow } from "./store";
import type { LoggedDocument } from "./work-log";

/** A message and what the lane knows of it. */
export type Waiting = DueRow & {
	/** The term in which its shard was owned when it was read. */
	readonly term: number;
	readonly isRepeat: boolean;
	/** By the steady clock; `ageSeconds` is of then. */
	readonly readAtMs: number;
	/** Of a message without a row. */
	readonly document?: LoggedDocument | undefined;
};

/** More of a tenant are left in the database. */
export const WAITING_MAX = 2_000;
/** With fewer left, more are read. */
const READ_BELOW = 500;

export type Queue = {
	readonly size: () => number;
	/** Adds a message, unless its tenant has too many with rows. False if it is left in the database. */
	readonly add: (waiting: Waiting) => boolean;
	readonly has: (id: string) => boolean;
	/** The database has more of the tenant. */
	readonly noteMore: (tenantId: string) => void;
	/** Some tenant has few messages left here and more in the database. */
	readonly isShort: () => boolean;
	/** Takes up to `max` of these tenants. */
	readonly takeShort: (max: number) => string[];
	/** Starts messages, one of each tenant in each round, as long as `start` accepts any. */
	readonly serve: (gate: Gate) => void;
	/** Returns those of them without a row. */
	readonly removeUnless: (isOwned: (tenantId: string) => boolean) => LoggedDocument[];
};

type Gate = {
	readonly hasRoom: (tenantId: string) => boolean;
	readonly isOpen: (waiting: Waiting) => boolean;
	readonly start: (waiting: Waiting) => void;
};

/** By kind. */
type OfTenant = { count: number; readonly byKind: Map<string, Waiting[]> };

export function createQueue(): Queue {
	/** In the order of their turns. */
	const tenants = new Map<string, OfTenant>();
	const ids = new Set<string>();
	const withMore = new Set<string>();

	/** The longest due of the kinds that may start. */
	function next({ byKind }: OfTenant, isOpen: Gate["isOpen"]): Waiting | undefined {
		let best: Waiting | undefined;
		for (const [head] of byKind.values())
			if (head && (best === undefined || head.readAtMs < best.readAtMs) && isOpen(head)) best = head;
		return best;
	}

	function remove(tenantId: string, of: OfTenant, { id, kind }: Waiting): void {
		const queue = of.byKind.get(kind);
		queue?.shift();
		if (queue?.length === 0) of.byKind.delete(kind);
		ids.delete(id);
		if (--of.count === 0) tenants.delete(tenantId);
	}

	const isShort = (tenantId: string) => (tenants.get(tenantId)?.count ?? 0) < READ_BELOW;

	return {
		size: () => ids.size,
		add(waiting) {
			const { tenantId, kind, id } = waiting;
			const of = tenants.get(tenantId) ?? { count: 0, byKind: new Map<string, Waiting[]>() };
			if (of.count >= WAITING_MAX && !waiting.document) {
				withMore.add(tenantId);
				return false;
			}
			tenants.set(tenantId, of);
			of.count++;
			ids.add(id);
			const queue = of.byKind.get(kind);
			if (queue) queue.push(waiting);
			else of.byKind.set(kind, [waiting]);
			return true;
		},
		has: (id) => ids.has(id),
		noteMore: (tenantId) => void withMore.add(tenantId),
		isShort: () => withMore.values().some(isShort),
		takeShort(max) {
			const short = [...withMore].filter(isShort).slice(0, max);
			for (const tenantId of short) withMore.delete(tenantId);
			return short;
		},
		serve(gate) {
			for (let hasStarted = true; hasStarted; ) {
				hasStarted = false;
				for (const [tenantId, of] of [...tenants]) {
					const waiting = gate.hasRoom(tenantId) ? next(of, gate.isOpen) : undefined;
					if (!waiting) continue;
					remove(tenantId, of, waiting);
					if (of.count > 0) {
						tenants.delete(tenantId);
						tenants.set(tenantId, of);
					}
					gate.start(waiting);
					hasStarted = true;
				}
			}
		},
		removeUnless(isOwned) {
			const removed: LoggedDocument[] = [];
			for (const [tenantId, { byKind }] of [...tenants]) {
				if (isOwned(tenantId)) continue;
				for (const { id, document } of [...byKind.values()].flat()) {
					ids.delete(id);
					if (document) removed.push(document);
				}
				tenants.delete(tenantId);
				withMore.delete(tenantId);
			}
			return removed;
		},
	};
}
