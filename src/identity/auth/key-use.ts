/** Notes when keys were last used, out of the way of the requests that use them. */
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { saveKeyUse } from "./store";

export type KeyUse = {
	readonly note: (keyId: string) => void;
	/** Writes what is noted; also done every few seconds. */
	readonly flush: () => Promise<void>;
	readonly close: () => Promise<void>;
};

const FLUSH_EVERY_MS = 5_000;
const WRITE_EVERY_MS = 60_000;

export function openKeyUse(deps: { sql: Sql; clock: Clock; log: Log }): KeyUse {
	const { sql, clock, log } = deps;
	const writtenAt = new Map<string, number>();
	let noted = new Set<string>();

	const flush = async (): Promise<void> => {
		const now = clock.now();
		const due = [...noted].filter((id) => now.getTime() - (writtenAt.get(id) ?? 0) >= WRITE_EVERY_MS);
		noted = new Set();
		if (due.length === 0) return;
		try {
			await saveKeyUse(sql, due, now);
		} catch (err) {
			// Not worth a second attempt: the next use of the key notes it again.
			log.warn({ err, keys: due.length }, "the last use of keys was not written");
			return;
		}
		for (const [id, at] of writtenAt) if (now.getTime() - at >= WRITE_EVERY_MS) writtenAt.delete(id);
		for (const id of due) writtenAt.set(id, now.getTime());
	};

	const timer = setInterval(flush, FLUSH_EVERY_MS);
	return {
		note: (keyId) => {
			noted.add(keyId);
		},
		flush,
		close: async () => {
			clearInterval(timer);
			await flush();
		},
	};
}
