/**
 * Removes objects whose time is over, where the operator has switched that on, and only by clocks that can be believed.
 *
 *   one transaction for each: out of the index (the database asks its own clock) ─▶ audit ─▶ out of the store ─▶ commit
 *
 * Leaf and link stay for ever, so every proof of every other document holds. A crash before the commit leaves a row whose object is gone, and
 * the next sweep finds it again.
 */

import { Cron } from "croner";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import { mayWaitOutside, type Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { ArchiveEraser } from "../object-store/open-archive";
import { type Doubt, findDoubt, isOver, observe, type Reading } from "./steady-clock";
import { findOver, holdRemovals, type KeptObject, readClocks, removeObject, saveSteadiness } from "./store";

export type ArchiveSweepDeps = {
	readonly sql: Sql;
	readonly archive: ArchiveEraser;
	readonly clock: Clock;
	readonly log: Log;
};

export type ArchiveSweep = { readonly removed: number; readonly failed: number; readonly doubt: Doubt | undefined };

const PAGE = 100;

/** One process at a time should. */
export async function sweepArchive(deps: ArchiveSweepDeps): Promise<ArchiveSweep> {
	const { sql, clock } = deps;
	const { before, ...told } = await readClocks(sql);
	const reading: Reading = { ...told, system: clock.now() };
	const steadiness = observe(before, reading.database);
	await saveSteadiness(sql, steadiness);
	const doubt = findDoubt(reading, steadiness);
	if (doubt) return { removed: 0, failed: 0, doubt };
	let removed = 0;
	let failed = 0;
	let after: KeptObject | undefined;
	for (;;) {
		const page: KeptObject[] = await findOver(sql, reading.database, after, PAGE);
		for (const object of page) {
			const outcome = isOver(object.retainUntil, reading) ? await tryRemove(deps, object) : "kept";
			if (outcome === "removed") removed++;
			if (outcome === "failed") failed++;
		}
		after = page.at(-1);
		if (page.length < PAGE) return { removed, failed, doubt: undefined };
	}
}

async function tryRemove(deps: ArchiveSweepDeps, object: KeptObject): Promise<"removed" | "kept" | "failed"> {
	try {
		return (await remove(deps, object)) ? "removed" : "kept";
	} catch (error) {
		deps.log.error({ docId: object.docId, objectKey: object.objectKey, err: error }, "an object could not be removed");
		return "failed";
	}
}

async function remove({ sql, archive, clock }: ArchiveSweepDeps, object: KeptObject): Promise<boolean> {
	const { objectKey, tenantId, docId, sha256, retainUntil } = object;
	return sql.begin(async (tx) => {
		if (!(await removeObject(tx, objectKey))) return false;
		await recordAudit(tx, {
			...{ at: clock.now(), actor: operatorActor(), action: "archive.remove", subject: docId, tenantId },
			details: { objectKey, sha256, retainUntil: retainUntil.toISOString() },
		});
		await mayWaitOutside(tx);
		await archive.erase(objectKey);
		return true;
	});
}

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
