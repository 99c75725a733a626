/** Looks every hour for what need not be kept any longer, in one process at a time. */
import { Cron } from "croner";
import { holdRemovals } from "./store";
import { type ArchiveSweepDeps, sweepArchive } from "./sweep-archive";

const EVERY_HOUR = "43 * * * *";

/** Starts the schedule; the answer stops it. */
export function startArchiveSweeps(deps: ArchiveSweepDeps): () => void {
	const job = new Cron(EVERY_HOUR, { timezone: "UTC", protect: true }, () => sweepAlone(deps));
	return () => job.stop();
}

async function sweepAlone(deps: ArchiveSweepDeps): Promise<void> {
	const { sql, log } = deps;
	try {
		const swept = await sql.begin(async (tx) => ((await holdRemovals(tx)) ? sweepArchive(deps) : undefined));
		if (swept?.doubt) log.warn(swept, "nothing is removed from the archive: the time is in doubt");
		else if (swept) log.info(swept, "archive swept");
	} catch (error) {
		log.warn({ err: error }, "sweeping the archive failed and is tried again at the next turn");
	}
}
