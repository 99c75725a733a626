/**
 * Metering of one process: counted in memory, written every few seconds and when the process ends, each time in one statement.
 *
 * A process that is killed loses what it has counted since its last write began, `WRITE_EVERY_MS` and that write's time. While the database is away the counts wait
 * in memory. A write whose confirmation is lost is repeated under the same id, so that it counts once.
 */
import { withTimeout } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import { type Counted, createMeter, type Meter } from "./meter";
import { writeUsage } from "./store";

export type Usage = {
	/** Counts an answer; `items` are the things that a batch asked for. */
	readonly note: Meter["note"];
	/** Writes what is counted; also done every few seconds. */
	readonly flush: () => Promise<void>;
	/** Writes for the last time. */
	readonly close: () => Promise<void>;
};

const WRITE_EVERY_MS = 3_000;
/** How long a process that ends waits for a database that does not answer. */
const LAST_WRITE_MS = 2_000;

type Write = { readonly id: string; readonly counted: readonly Counted[] };

export function openUsage({ sql, clock, log }: { sql: Sql; clock: Clock; log: Log }): Usage {
	const meter = createMeter(clock);
	let unconfirmed: Write | undefined;
	let writing: Promise<boolean> | undefined;

	// First what may be written already; what came since waits, so that no write grows while the database is away. Then that, once: what
	// is counted meanwhile waits for the next time, or a busy process would never stop writing. Answers whether it has written that.
	const write = async (): Promise<boolean> => {
		if (unconfirmed && !(await confirm(unconfirmed))) return false;
		unconfirmed = take();
		return unconfirmed !== undefined && confirm(unconfirmed);
	};

	const confirm = async ({ id, counted }: Write): Promise<boolean> => {
		try {
			await writeUsage(sql, id, counted);
			unconfirmed = undefined;
			return true;
		} catch (err) {
			log.warn({ err, rows: counted.length }, "usage is not written for now");
			return false;
		}
	};

	const take = (): Write | undefined => {
		const counted = meter.take();
		return counted.length > 0 ? { id: newId(), counted } : undefined;
	};

	const writeOnce = (): Promise<boolean> => {
		writing ??= write().finally(() => {
			writing = undefined;
		});
		return writing;
	};
	const flush = async (): Promise<boolean> => {
		await writing;
		return writeOnce();
	};
	/** Also what is counted while it writes: nobody comes after it. */
	const writeAll = async (): Promise<void> => {
		while (await flush());
	};
	const timer = setInterval(writeOnce, WRITE_EVERY_MS);

	return {
		note: meter.note,
		flush: async () => {
			await flush();
		},
		close: async () => {
			clearInterval(timer);
			await withTimeout(writeAll(), LAST_WRITE_MS, () => undefined);
		},
	};
}
