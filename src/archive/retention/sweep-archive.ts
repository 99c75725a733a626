/**
 * Removes objects after their retention, if the operator has enabled it and the clocks can be trusted.
 *
 *   one transaction each: marked as removed (the database checks its own clock) ─▶ audit ─▶ out of the store ─▶ commit
 *
 * A crash before the commit leaves a row without a mark, whose object is gone; the next sweep finds it again. Once all objects of a month are gone, its
 * documents, verdicts and seals are dropped. The hashes of the leaves stay for ever, so the proofs of other documents hold.
 */

import { Cron } from "croner";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import { isCutShort, mayWaitOutside, type Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { ArchiveEraser } from "../object-store/open-archive";
import { type Doubt, findDoubt, isOver, observe, type Reading } from "./steady-clock";
import {
	dropLeftDocuments,
	dropMonth,
	findOldMonths,
	findOver,
	type KeptObject,
	lockRemovals,
	readClocks,
	removeObject,
	saveSteadiness,
} from "./store";

export type RetentionDeps = {
	readonly sql: Sql;
	readonly archive: ArchiveEraser;
	readonly clock: Clock;
	readonly log: Log;
};

type ArchiveSweep = { readonly removed: number; readonly failed: number; readonly doubt: Doubt | undefined };

const PAGE = 100;
/** Rounds of deletion in one run; each takes some thousands of rows. */
const ROUNDS_MAX = 20;

/** Drops the months whose objects are gone, after a sweep without doubt. Returns them. */
export async function dropOldMonths({ sql, log }: Pick<RetentionDeps, "sql" | "log">): Promise<string[]> {
	const dropped: string[] = [];
	for (const month of await findOldMonths(sql)) {
		try {
			const seals = await dropMonth(sql, month);
			if (seals === undefined) continue;
			log.info(
				{ event: "archive.month_dropped", month, seals },
				"dropped the documents of a month after their retention",
			);
			dropped.push(month);
		} catch (error) {
			// A transaction is in the way. The next run tries again.
			if (!isCutShort(error)) throw error;
		}
	}
	for (let round = 0; round < ROUNDS_MAX; round++) if ((await dropLeftDocuments(sql)) === 0) break;
	return dropped;
}

/** Call it in one process at a time. */
export async function sweepArchive(deps: RetentionDeps): Promise<ArchiveSweep> {
	const { sql, clock } = deps;
	const { before, ...clocks } = await readClocks(sql);
	const reading: Reading = { ...clocks, system: clock.now() };
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

async function tryRemove(deps: RetentionDeps, object: KeptObject): Promise<"removed" | "kept" | "failed"> {
	try {
		return (await remove(deps, object)) ? "removed" : "kept";
	} catch (error) {
		const { docId, objectKey } = object;
		deps.log.error(
			{ event: "archive.removal_failed", docId, objectKey, err: error },
			"removing an archived object failed",
		);
		return "failed";
	}
}

async function remove({ sql, archive, clock }: RetentionDeps, object: KeptObject): Promise<boolean> {
	const { objectKey, tenantId, docId, sha256, retainUntil } = object;
	return sql.begin(async (tx) => {
		if (!(await removeObject(tx, object))) return false;
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

/** Sweeps every hour, in one process at a time. Returns a function that stops it. */
export function startArchiveSweeps(deps: RetentionDeps): () => void {
	const job = new Cron(EVERY_HOUR, { timezone: "UTC", protect: true }, () => sweepAlone(deps));
	return () => job.stop();
}

async function sweepAlone(deps: RetentionDeps): Promise<void> {
	const { sql, log } = deps;
	try {
		const swept = await sql.begin(async (tx) => ((await lockRemovals(tx)) ? sweepArchive(deps) : undefined));
		if (swept && !swept.doubt) await dropOldMonths(deps);
		if (swept?.doubt)
			log.warn({ event: "archive.sweep_skipped", ...swept }, "archive not swept; the clocks are in doubt");
		else if (swept) log.info({ event: "archive.swept", ...swept }, "swept the archive");
	} catch (error) {
		log.warn({ event: "archive.sweep_failed", err: error }, "sweeping the archive failed; trying again");
	}
}
