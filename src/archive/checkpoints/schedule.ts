/** A checkpoint a day, also when nothing was archived: who watches the archive sees that it is looked after. Made by one process. */
import { Cron } from "croner";
import type { Log } from "../../platform/telemetry";
import type { Checkpoints } from "./open-checkpoints";

/** Asked often, so that a day whose first hour the service was away has its checkpoint all the same. */
const EVERY_TEN_MINUTES = "*/10 * * * *";

/** Starts the schedule; the answer stops it. */
export function startCheckpoints({ checkpoints, log }: { checkpoints: Checkpoints; log: Log }): () => void {
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, async () => {
		try {
			const made = await checkpoints.makeDue();
			if (made) log.info({ number: made.number, size: made.size, root: made.root }, "signed a checkpoint");
		} catch (error) {
			log.warn({ err: error }, "the day's checkpoint failed and is tried again at the next turn");
		}
	});
	return () => job.stop();
}
