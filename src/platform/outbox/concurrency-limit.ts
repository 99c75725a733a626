import { createEarlyRelease } from "../concurrency";
import type { Handler } from "./execute";
import { roomOf } from "./slots";

/** After `afterMs` a message gives its place up; at most `max` messages run without one. */
export type Slow = { readonly afterMs: number; readonly max: number };

/**
 * Wraps a handler so that at most `max` messages run at a time. The others wait for a place and keep their slot and their lease. Places are
 * shared between tenants as slots are, so no tenant takes all and no tenant waits behind another's long queue. With `slow`, slow messages
 * do not hold places for long. It is not `createSemaphore`, because the order of waiting depends on each tenant's share.
 */
export function limitConcurrency(max: number, handler: Handler, slow?: Slow): Handler {
	/** Places that each tenant holds. */
	const held = new Map<string, number>();
	let free = max;
	const watchSlow = slow && createEarlyRelease(slow);
	/** What waits, by tenant, in the order in which the tenants get their next place. */
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
			// A tenant that got a place goes to the end.
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
