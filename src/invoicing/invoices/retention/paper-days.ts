/**
 * Papers and steps leave the database some days after their documents came, day by day:
 *
 *   day is old enough ──▶ each sealed object asked for again ──▶ no fault ──▶ partitions dropped
 *                              └─ faulty ──▶ sealed again from its papers ──▶ still faulty: the day stays, and is checked again later
 *
 * Rows of documents that are not sealed yet stay, in the default partition, until they are and their object has been checked. The check goes on where
 * it ended, so it may be cut short. Papers of received documents go the same way.
 */
import {
	type Archive,
	type ArchivedObject,
	findArchiveObjects,
	insertArchiveObjects,
	type SealParts,
	sealDocument,
	sealedObjectKey,
} from "../../../archive";
import { isCutShort, type Sql } from "../../../platform/database";
import type { Log } from "../../../platform/telemetry";
import type { Clock, Environment } from "../../../platform/values";
import { findClosedFiles } from "../model/file-store";
import type { DocKey } from "../model/invoice-row";
import { toSealParts } from "../submit";
import { beginDay, dropDay, dropLeft, findDays, listLeft, listPapers, type PaperDay, recordChecked } from "./store";

export type DroppingTools = {
	readonly sql: Sql;
	readonly archive: Archive;
	readonly environment: Environment;
	readonly clock: Clock;
	readonly log: Log;
	/** Days that papers stay in the database at least. */
	readonly paperDays: number;
	/** What was sealed of a received document; undefined for any other one. */
	readonly findReceivedParts: (document: DocKey) => Promise<Omit<SealParts, "retainUntil"> | undefined>;
};

/** Objects that are asked for at once. */
const AT_ONCE = 32;
/** Together with the other chores it must end before the next run. */
const CHECKS_MAX_MS = 2 * 60_000;
/** How long a day with faults rests before it is checked again. */
const FAULTY_RESTS_MS = 3_600_000;

/** Checks the days that are old enough, and drops those without faults. Returns the days that were dropped. */
export async function dropOldPapers(deps: DroppingTools): Promise<string[]> {
	const { sql, log, paperDays } = deps;
	const endsAt = performance.now() + CHECKS_MAX_MS;
	const dropped: string[] = [];
	for (const day of await findDays(sql, paperDays)) {
		const checked = await checkDay(deps, day, endsAt);
		if (!checked.isChecked) break;
		if (checked.faults > 0) {
			const { day: name, faults } = checked;
			log.error(
				{ event: "papers.kept", day: name, faults },
				"sealed documents of a day are faulty; its papers are kept",
			);
			continue;
		}
		try {
			if (await dropDay(sql, day.day)) dropped.push(day.day);
			else await beginDay(sql, day.day);
		} catch (error) {
			// A reader is in the way. The next run tries again.
			if (!isCutShort(error)) throw error;
		}
	}
	await dropLeftPapers(deps, endsAt);
	return dropped;
}

async function dropLeftPapers(deps: DroppingTools, endsAt: number): Promise<void> {
	const { sql, paperDays } = deps;
	let after: DocKey | undefined;
	while (performance.now() < endsAt) {
		const keys = await listLeft(sql, paperDays, after, AT_ONCE);
		const objects = await findArchiveObjects(sql, keys);
		const sound = await Promise.all(objects.map((object) => isSound(deps, object)));
		const checked = objects.filter((_, i) => sound[i]);
		if (checked.length > 0) await dropLeft(sql, checked);
		after = keys.at(-1);
		if (keys.length < AT_ONCE) return;
	}
}

async function checkDay(deps: DroppingTools, known: PaperDay, endsAt: number): Promise<PaperDay> {
	const { sql, clock } = deps;
	const isDue = known.begunAt === null || clock.now().getTime() - known.begunAt.getTime() > FAULTY_RESTS_MS;
	let day =
		known.begunAt === null || (known.isChecked && known.faults > 0 && isDue) ? await beginDay(sql, known.day) : known;
	while (!day.isChecked && performance.now() < endsAt) {
		const keys = await listPapers(sql, day, AT_ONCE);
		const objects = await findArchiveObjects(sql, keys);
		const sound = await Promise.all(objects.map((object) => isSound(deps, object)));
		day = await recordChecked(sql, day, keys, sound.filter((one) => !one).length);
	}
	return day;
}

/** Whether an object is as it was written, after it was sealed again if need be. Throws errors of the store. */
async function isSound(deps: DroppingTools, object: ArchivedObject): Promise<boolean> {
	const { sql, archive, log } = deps;
	const { objectKey, sha256, docId } = object;
	const fault = await archive.verify(objectKey, sha256, object);
	if (fault === undefined) return true;
	const again = await sealAgain(deps, object, fault === "missing");
	log.warn(
		{ event: "archive.sealed_again", object: objectKey, docId, fault, isSealed: again },
		"a sealed document was faulty",
	);
	if (!again) return false;
	const [newest] = await findArchiveObjects(sql, [object]);
	return newest !== undefined && (await archive.verify(newest.objectKey, newest.sha256, newest)) === undefined;
}

/**
 * Seals a document again from its papers: the same bytes where the object is missing, else another object beside the faulty one, which stays as it
 * is. False if the papers are of another decision.
 */
async function sealAgain(deps: DroppingTools, object: ArchivedObject, isMissing: boolean): Promise<boolean> {
	const { sql, archive, environment, findReceivedParts } = deps;
	const { retainUntil, decidedAt, n } = object;
	const [file] = await findClosedFiles(sql, [object]);
	const found = file
		? toSealParts(file, file.invoice.decidedAt ?? decidedAt, environment)
		: await findReceivedParts(object);
	if (found?.decidedAt.getTime() !== decidedAt.getTime()) return false;
	const parts = { ...found, retainUntil };
	const same = sealDocument(parts);
	const keyOf = (bytes: Uint8Array) =>
		sealedObjectKey({ ...parts, sha256: new Bun.CryptoHasher("sha256").update(bytes).digest("hex") });
	if (isMissing && keyOf(same) === object.objectKey) {
		await archive.putOnce(object.objectKey, same, { retainUntil });
		return true;
	}
	const other = sealDocument({ ...parts, facts: { ...parts.facts, sealing: n + 1 } });
	const { sha256, bytes, versionId = null } = await archive.putOnce(keyOf(other), other, { retainUntil });
	const { docId, tenantId, encf, type, status } = parts;
	await insertArchiveObjects(sql, [
		{ docId, tenantId, sha256, bytes, decidedAt, retainUntil, versionId, encf, type, status },
	]);
	return true;
}
