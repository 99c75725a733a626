/** When the registry is ingested: a cron pattern in UTC, whatever the machine's time zone. */
import { Cron } from "croner";

export type Schedule = {
	/** The next time after the given one; undefined when the pattern names none. */
	readonly next: (after: Date) => Date | undefined;
	readonly stop: () => void;
};

/** Runs `work` at each time of the pattern; a time that comes while it still runs is left out. Throws for a bad pattern. */
export function startSchedule(pattern: string, work: () => Promise<void>): Schedule {
	const cron = new Cron(pattern, { timezone: "UTC", protect: true, unref: true }, work);
	return {
		next: (after) => cron.nextRun(after) ?? undefined,
		stop: () => cron.stop(),
	};
}
