/** What has been started, to be stopped in the reverse order. */
import type { Log } from "./telemetry";

type Close = () => Promise<void> | void;

export type Closers = {
	readonly add: (close: Close) => void;
	/**
	 * Stops everything once, the youngest first; what cannot be stopped is logged and does not keep the rest running. After `withinMs` none is
	 * waited for any more, though each is asked: one whose connection has died without a word would wait for an answer that never comes.
	 */
	readonly closeAll: (withinMs: number) => Promise<void>;
};

/** For one whose turn comes when the time is over: most have nothing to wait for. */
const AT_LEAST_MS = 50;

export function createClosers(log: Log): Closers {
	const closers: Close[] = [];
	return {
		add: (close) => {
			closers.push(close);
		},
		closeAll: async (withinMs) => {
			const deadline = performance.now() + withinMs;
			let late = 0;
			for (const close of closers.splice(0).reverse()) {
				const closed = closeOne(close, log).then(() => true);
				const leftMs = Math.max(AT_LEAST_MS, deadline - performance.now());
				if (!(await Promise.race([closed, Bun.sleep(leftMs).then(() => false)]))) late++;
			}
			if (late > 0) log.warn({ parts: late }, "parts did not stop in time and end with the process");
		},
	};
}

async function closeOne(close: Close, log: Log): Promise<void> {
	try {
		await close();
	} catch (error) {
		log.error({ err: error }, "a part could not be stopped");
	}
}
