/** Wipes the public sandbox every hour; nowhere else is there anything to start. */
import { Cron } from "croner";
import { doClocksAgree } from "../../platform/database";
import { holdWipes } from "./store";
import { type WipeDeps, wipeOld } from "./wipe";

const EVERY_HOUR = "17 * * * *";

/** Starts the schedule; the answer stops it. A wipe that is under way then is cut off with its connection, and its rest comes next time. */
export function startWipes(deps: WipeDeps): () => void {
	const job = new Cron(EVERY_HOUR, { timezone: "UTC", protect: true }, () => wipeAlone(deps));
	return () => job.stop();
}

async function wipeAlone(deps: WipeDeps): Promise<void> {
	const { sql, clock, log } = deps;
	try {
		if (!(await doClocksAgree(sql, clock))) {
			log.warn("this machine's clock and the database's are apart: nothing is wiped");
			return;
		}
		const wiped = await sql.begin(async (tx) => {
			return (await holdWipes(tx)) ? wipeOld(deps) : undefined;
		});
		if (wiped) log.info(wiped, "wiped");
	} catch (error) {
		log.warn({ err: error }, "wiping failed and is tried again at the next turn");
	}
}
