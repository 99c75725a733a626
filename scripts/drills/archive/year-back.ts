/** The clock of every thread of a service set back by a year, and what is archived done once more under it: nothing is kept for less long. */
import { join } from "node:path";
import type { Theatre } from "../theatre";
import { findChanges, readHoldings } from "./holdings";
import { type Stage, untilQuiet } from "./stage";

const PRELOAD = join(import.meta.dir, "clock-back.preload.ts");

export async function turnClockBack({ violate }: Theatre, stage: Stage) {
	const before = await readHoldings(stage);
	await stage.stop();
	const url = await stage.start({ BUN_OPTIONS: `--preload=${PRELOAD}` }).ready;
	const told = new Date((await fetch(`${url}/v1/health`)).headers.get("date") ?? Number.NaN);
	const again = await stage.sql`
		insert into outbox (id, kind, tenant_id, subject)
		select gen_random_uuid(), 'invoice.archive', tenant_id, doc_id from archive_objects returning 1`;
	await untilQuiet(stage);
	const changes = findChanges(before, await readHoldings(stage));
	for (const change of changes) violate(`with the clock a year back ${change}`);
	await stage.stop();
	await stage.start().ready;
	return { "archived again a year back": again.length, toldDate: told.toISOString() };
}
