/** Shutdown hooks: what was started last stops first. */
import { withTimeout } from "../platform/concurrency";
import type { Log } from "../platform/telemetry";

export type Close = () => Promise<void> | void;
/** `atLeastMs` is the time that the hook gets even after the deadline. */
type Hook = Close | { readonly close: Close; readonly atLeastMs: number };

export type ShutdownHooks = {
	readonly add: (hook: Hook) => void;
	/**
	 * Runs each hook once, the youngest first. A hook that fails is logged and does not stop the others. After `withinMs` the rest is still called but
	 * no longer awaited: a hook whose connection has died silently would wait for ever.
	 */
	readonly run: (withinMs: number) => Promise<void>;
};

/** For hooks that are called after the deadline: most have nothing to wait for. */
const AT_LEAST_MS = 50;

export function createShutdownHooks(log: Log): ShutdownHooks {
	const hooks: Hook[] = [];
	return {
		add: (hook) => {
			hooks.push(hook);
		},
		run: async (withinMs) => {
			const deadline = performance.now() + withinMs;
			let late = 0;
			for (const hook of hooks.splice(0).reverse()) if (!(await closeInTime(hook, deadline, log))) late++;
			if (late > 0) log.warn({ event: "service.stop_incomplete", hooks: late }, "parts did not stop in time");
		},
	};
}

/** Closes independent parts in parallel. Never throws. */
export async function closeTogether(closes: readonly Close[], log: Log): Promise<void> {
	await Promise.all(closes.map((close) => closeOne(close, log)));
}

/** False when it took longer than its time. */
async function closeInTime(hook: Hook, deadline: number, log: Log): Promise<boolean> {
	const { close, atLeastMs } = typeof hook === "function" ? { close: hook, atLeastMs: AT_LEAST_MS } : hook;
	const timeoutMs = Math.max(atLeastMs, deadline - performance.now());
	return withTimeout(
		closeOne(close, log).then(() => true),
		timeoutMs,
		() => false,
	);
}

async function closeOne(close: Close, log: Log): Promise<void> {
	try {
		await close();
	} catch (err) {
		log.error({ event: "service.stop_failed", err }, "a part could not be stopped");
	}
}
