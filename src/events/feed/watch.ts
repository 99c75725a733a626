/**
 * Waits for a tenant's next event. While anybody waits, one question asks for all of them, several times a second; nothing runs while
 * nobody does. Gap: not by NOTIFY: in the transaction of a verdict it would queue all commits of the server behind one lock.
 */
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { findLast } from "./store";

export type FeedWatch = {
	/** Resolves with true when the tenant has an event after this one, with false when the time is over or the caller has gone. */
	readonly wait: (tenantId: string, after: number, timeoutMs: number, gone?: AbortSignal) => Promise<boolean>;
};

const EVERY_MS = 200;

type Waiter = { readonly tenantId: string; readonly after: number; readonly go: (hasCome: boolean) => void };

export function createFeedWatch({ sql, log, everyMs = EVERY_MS }: { sql: Sql; log: Log; everyMs?: number }): FeedWatch {
	const waiters = new Set<Waiter>();
	let isLooking = false;

	async function lookWhileAnybodyWaits(): Promise<void> {
		if (isLooking) return;
		isLooking = true;
		while (waiters.size > 0) {
			try {
				const last = await findLast(sql, [...new Set([...waiters].map(({ tenantId }) => tenantId))]);
				for (const one of waiters) if ((last.get(one.tenantId) ?? 0) > one.after) one.go(true);
			} catch (error) {
				log.warn({ err: error }, "the feed was not looked at and is at the next turn");
			}
			await Bun.sleep(everyMs);
		}
		isLooking = false;
	}

	return {
		wait(tenantId, after, timeoutMs, gone) {
			if (gone?.aborted) return Promise.resolve(false);
			return new Promise((resolve) => {
				const go = (hasCome: boolean) => {
					waiters.delete(waiter);
					clearTimeout(timer);
					gone?.removeEventListener("abort", leave);
					resolve(hasCome);
				};
				const leave = () => go(false);
				const waiter: Waiter = { tenantId, after, go };
				const timer = setTimeout(leave, timeoutMs);
				gone?.addEventListener("abort", leave);
				waiters.add(waiter);
				void lookWhileAnybodyWaits();
			});
		},
	};
}
