import type { Handler } from "./execute";

/** A handler that carries out so many messages at a time; the others wait for it in their order, each holding its slot and its lease. */
export function atMost(max: number, handler: Handler): Handler {
	let running = 0;
	const waiting: (() => void)[] = [];
	return async (message) => {
		if (running < max) running++;
		// Whoever ends gives its place to the next one.
		else await new Promise<void>((go) => waiting.push(go));
		try {
			return await handler(message);
		} finally {
			const next = waiting.shift();
			if (next) next();
			else running--;
		}
	};
}
