import type { Handler } from "./execute";
import { roomOf } from "./fair-share";

type Waiting = { readonly tenantId: string; readonly go: () => void };

/**
 * A handler that carries out so many messages at a time. The others wait for a place, each holding its slot and its lease. Places are shared
 * out between tenants as slots are: none takes all, and who comes later does not wait behind a long queue.
 */
export function atMost(max: number, handler: Handler): Handler {
	/** Places that each tenant has. */
	const held = new Map<string, number>();
	let free = max;
	let waiting: Waiting[] = [];

	const hasRoom = ({ tenantId }: Pick<Waiting, "tenantId">) => roomOf(held.get(tenantId) ?? 0, free) > 0;

	function change(tenantId: string, by: 1 | -1): void {
		const now = (held.get(tenantId) ?? 0) + by;
		if (now > 0) held.set(tenantId, now);
		else held.delete(tenantId);
		free -= by;
	}

	function next(): void {
		for (;;) {
			const one = waiting.find(hasRoom);
			if (!one) return;
			waiting = waiting.filter((other) => other !== one);
			change(one.tenantId, 1);
			one.go();
		}
	}

	return async (message) => {
		const { tenantId } = message;
		if (hasRoom(message)) change(tenantId, 1);
		else await new Promise<void>((go) => waiting.push({ tenantId, go }));
		try {
			return await handler(message);
		} finally {
			change(tenantId, -1);
			next();
		}
	};
}
