/**
 * Knows whether this process still hears what others erase and ingest.
 *
 * A connection that is open may be dead: the other end gone, packets lost by something between that answers for it. So each process sends
 * itself a beat through the connection on which it listens, and everything that was told before one that comes back has come too.
 *
 *   beat ──▶ database ──▶ heard        every quarter of a second
 *                    └──▶ nothing      for three quarters: what there may be is read, again and again until one is heard
 */
import type { Sql } from "../platform/database";
import type { Log } from "../platform/telemetry";
import { newId } from "../platform/values";
import { BEATS_CHANNEL, sendBeat } from "./store";

export type HearingDeps = {
	readonly sql: Sql;
	readonly log: Log;
	/** Reads what may have been told unheard. Called one at a time; never rejects. */
	readonly readUnheard: () => Promise<void>;
};

const BEAT_EVERY_MS = 250;
const UNHEARD_AFTER_MS = 750;
/** Long enough that a busy moment is not worth a line in the log. */
const DEAF_AFTER_MS = 5_000;

/** Starts to listen for beats; the answer ends it. */
export async function proveHearing({ sql, log, readUnheard }: HearingDeps): Promise<() => Promise<void>> {
	const self = newId();
	let heardAt = performance.now();
	let isBeating = false;
	let isReading = false;
	let isDeaf = false;
	const beat = async (): Promise<void> => {
		// One at a time: a slow database must not be given a queue of beats.
		if (isBeating) return;
		isBeating = true;
		try {
			await sendBeat(sql, self);
		} catch (err) {
			log.debug({ err }, "a beat of the registry was not sent");
		} finally {
			isBeating = false;
		}
	};
	const read = async (): Promise<void> => {
		if (isReading) return;
		isReading = true;
		await readUnheard();
		isReading = false;
	};
	const tell = (unheardMs: number): void => {
		if (unheardMs > DEAF_AFTER_MS !== isDeaf) {
			isDeaf = !isDeaf;
			if (isDeaf)
				log.warn("changes of the registry are not heard: what was erased and ingested is read again each second");
			else log.info("changes of the registry are heard again");
		}
	};
	const listening = await sql.listen(BEATS_CHANNEL, (who) => {
		if (who === self) heardAt = performance.now();
	});
	const timer = setInterval(() => {
		const unheardMs = performance.now() - heardAt;
		tell(unheardMs);
		if (unheardMs > UNHEARD_AFTER_MS) void read();
		void beat();
	}, BEAT_EVERY_MS);
	return async () => {
		clearInterval(timer);
		await listening.unlisten().catch((err: unknown) => log.debug({ err }, "the listener had ended before"));
	};
}
