/** When the registry is ingested: a cron pattern in UTC, whatever the machine's time zone. */

import { stat } from "node:fs/promises";
import { Cron } from "croner";
import type { RunRow } from "../runs";
import { isAddress } from "../settings";

type Schedule = {
	/** The next time after the given one; undefined when the pattern names none. */
	readonly next: (after: Date) => Date | undefined;
	/** The latest time before the given one. */
	readonly last: (before: Date) => Date | undefined;
	readonly stop: () => void;
};

/** Runs `work` at each time of the pattern; a time that comes while it still runs is left out. Throws for a bad pattern. */
export function startSchedule(pattern: string, work: () => Promise<void>): Schedule {
	const cron = new Cron(pattern, { timezone: "UTC", protect: true, unref: true }, work);
	return {
		next: (after) => cron.nextRun(after) ?? undefined,
		last: (before) => cron.previousRuns(1, before)[0],
		stop: () => cron.stop(),
	};
}

/**
 * Whether a process that starts should ingest: another source was named, a time of the schedule passed unused, or the source is a file
 * that was written since the run in use was last seen in it.
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
