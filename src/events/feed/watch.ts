/**
 * Waits for a tenant's next event. One query serves all waiting requests, several times a second; without any, nothing runs.
 * Gap: NOTIFY is not used. In the transaction of a verdict it would queue all commits of the server behind one lock.
 */
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { findLast } from "./store";

export type FeedWatch = {
	/** Resolves to true when the tenant has an event after this one; to false after the time-out or when the caller leaves. */
	readonly wait: (tenantId: string, after: number, timeoutMs: number, gone?: AbortSignal) => Promise<boolean>;
};

/** Time between two queries, in milliseconds. */
const EVERY_MS = 200;

type Waiter = { readonly tenantId: string; readonly after: number; readonly finish: (hasEvent: boolean) => void };

export function createFeedWatch({ sql, log, everyMs = EVERY_MS }: { sql: Sql; log: Log; everyMs?: number }): FeedWatch {
	const waiters = new Set<Waiter>();
	let isPolling = false;

	async function poll(): Promise<void> {
		if (isPolling) return;
		isPolling = true;
		while (waiters.size > 0) {
			try {
				const last = await findLast(sql, [...new Set([...waiters].map(({ tenantId }) => tenantId))]);
				for (const one of waiters) if ((last.get(one.tenantId) ?? 0) > one.after) one.finish(true);
			} catch (error) {
				log.warn({ event: "feed.poll_failed", err: error }, "polling the feed failed; trying again");
			}
			await Bun.sleep(everyMs);
		}
		isPolling = false;
	}

	return {
		wait(tenantId, after, timeoutMs, gone) {
			if (gone?.aborted) return Promise.resolve(false);
			return new Promise((resolve) => {
				const finish = (hasEvent: boolean) => {
					waiters.delete(waiter);
					clearTimeout(timer);
					gone?.removeEventListener("abort", leave);
					resolve(hasEvent);
				};
				const leave = () => finish(false);
				const waiter: Waiter = { tenantId, after, finish };
				const timer = setTimeout(leave, timeoutMs);
				gone?.addEventListener("abort", leave);
				waiters.add(waiter);
				void poll();
			});
		},
	};
}
