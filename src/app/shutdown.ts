/** What has been started, to be stopped in the reverse order. */
import { withTimeout } from "../platform/concurrency";
import type { Log } from "../platform/telemetry";

export type Close = () => Promise<void> | void;
/** `atLeastMs` is waited for it even when the time is over. */
type Part = Close | { readonly close: Close; readonly atLeastMs: number };

export type Closers = {
	readonly add: (part: Part) => void;
	/**
	 * Stops everything once, the youngest first; what cannot be stopped is logged and does not keep the rest running. After `withinMs` none is
	 * waited for any more, though each is asked: one whose connection has died without a word would wait for an answer that never comes.
	 */
	readonly closeAll: (withinMs: number) => Promise<void>;
};

/** For one whose turn comes when the time is over: most have nothing to wait for. */
const AT_LEAST_MS = 50;

export function createClosers(log: Log): Closers {
	const parts: Part[] = [];
	return {
		add: (part) => {
			parts.push(part);
		},
		closeAll: async (withinMs) => {
			const deadline = performance.now() + withinMs;
			let late = 0;
			for (const part of parts.splice(0).reverse()) if (!(await closeInTime(part, deadline, log))) late++;
			if (late > 0) log.warn({ parts: late }, "parts did not stop in time and end with the process");
		},
	};
}

/** Stops parts of which none needs another, all at once. Never throws. */
export async function closeTogether(closes: readonly Close[], log: Log): Promise<void> {
	await Promise.all(closes.map((close) => closeOne(close, log)));
}

/** False when it took longer than there was time. */
async function closeInTime(part: Part, deadline: number, log: Log): Promise<boolean> {
	const { close, atLeastMs } = typeof part === "function" ? { close: part, atLeastMs: AT_LEAST_MS } : part;
	const closed = closeOne(close, log).then(() => true);
	return withTimeout(closed, Math.max(atLeastMs, deadline - performance.now()), () => false);
}

async function closeOne(close: Close, log: Log): Promise<void> {
	try {
		await close();
	} catch (error) {
		log.error({ err: error }, "a part could not be stopped");
	}
}
