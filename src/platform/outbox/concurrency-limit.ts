import { createEarlyRelease } from "../concurrency";
import type { Handler } from "./execute";
import { roomOf } from "./slots";

/** After `afterMs` a message gives its place up; at most `max` messages are under way without one. */
export type Slow = { readonly afterMs: number; readonly max: number };

/**
 * A handler that carries out so many messages at a time. The others wait for a place, each holding its slot and its lease. Places are shared
 * out between tenants as slots are: none takes all, and who comes later does not wait behind a long queue; nor, with `slow`, behind those who are
 * waited for very long.
 */
export function limitConcurrency(max: number, handler: Handler, slow?: Slow): Handler {
	/** Places that each tenant has. */
	const held = new Map<string, number>();
	let free = max;
	const watchSlow = slow && createEarlyRelease(slow);
	/** Who waits, tenant by tenant, in the order of their next turns. */
	const queues = new Map<string, (() => void)[]>();

	const hasRoom = (tenantId: string) => roomOf(held.get(tenantId) ?? 0, free) > 0;

	function change(tenantId: string, by: 1 | -1): void {
		const now = (held.get(tenantId) ?? 0) + by;
		if (now > 0) held.set(tenantId, now);
		else held.delete(tenantId);
		free -= by;
	}

	function next(): void {
		for (;;) {
			const [tenantId, queue] = [...queues].find(([each]) => hasRoom(each)) ?? [];
			const go = queue?.shift();
			if (tenantId === undefined || !queue || !go) return;
			// Whoever has had a turn comes last.
			queues.delete(tenantId);
			if (queue.length > 0) queues.set(tenantId, queue);
			change(tenantId, 1);
			go();
		}
	}

	function wait(tenantId: string): Promise<void> {
		return new Promise((go) => {
			const queue = queues.get(tenantId);
			if (queue) queue.push(go);
			else queues.set(tenantId, [go]);
		});
	}

	return async (message) => {
		const { tenantId } = message;
		if (hasRoom(tenantId)) change(tenantId, 1);
		else await wait(tenantId);
		const release = () => {
			change(tenantId, -1);
			next();
		};
		const end = watchSlow?.(release) ?? release;
		try {
			return await handler(message);
		} finally {
			end();
		}
	};
}
