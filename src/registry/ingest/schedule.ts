/** The schedule of ingests: a cron pattern in UTC, whatever the machine's time zone. */

import { stat } from "node:fs/promises";
import { Cron } from "croner";
import type { RunRow } from "../runs";
import { isAddress } from "../settings";

type Schedule = {
	/** The next time after the given one; undefined if the pattern has none. */
	readonly next: (after: Date) => Date | undefined;
	readonly last: (before: Date) => Date | undefined;
	readonly stop: () => void;
};

/** Runs `work` at each time of the pattern; skips times while it still runs. Throws for an invalid pattern. */
export function startSchedule(pattern: string, work: () => Promise<void>): Schedule {
	const cron = new Cron(pattern, { timezone: "UTC", protect: true, unref: true }, work);
	return {
		next: (after) => cron.nextRun(after) ?? undefined,
		last: (before) => cron.previousRuns(1, before)[0],
		stop: () => cron.stop(),
	};
}

/**
 * Whether a process should ingest at its start. It should if the source has another name, if a scheduled time was missed, or if the source
 * file was written after it last confirmed the run in use.
 */
export async function isIngestDue(
	source: string,
	run: RunRow | undefined,
	schedule: Schedule,
	now: Date,
): Promise<boolean> {
	if (!run || run.source !== source) return true;
	const { confirmedAt } = run;
	const scheduled = schedule.last(now);
	if (scheduled && scheduled > confirmedAt) return true;
	if (isAddress(source)) return false;
	const written = await stat(source).then(
		({ mtime }) => mtime,
		() => undefined,
	);
	return written === undefined || written >= confirmedAt;
}
