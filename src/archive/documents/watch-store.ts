/**
 * Looks whether this process has the same store as those that write the archive's index. Two machines whose stores are different folders each
 * keep a part: what one has archived is lost for the other, and nobody hears of it before somebody asks for a document's evidence.
 *
 * Looked for is the newest object alone, which is there before its row is: one read at the start and every ten minutes.
 */
import { Cron } from "croner";
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Archive, ObjectMissingError } from "../object-store/archive";
import { findNewestObject } from "./store";

export type StoreWatchDeps = {
	readonly sql: Sql;
	readonly archive: Pick<Archive, "get">;
	readonly log: Pick<Log, "error">;
};

const EVERY_TEN_MINUTES = "4-54/10 * * * *";

/** Looks now and then from time to time; the answer stops it. */
export function startStoreWatch(deps: StoreWatchDeps): () => void {
	const look = createLook(deps);
	void look();
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, look);
	return () => job.stop();
}

/** One look at a time; what is missing is told once, until something newer is there. Never rejects. */
export function createLook({ sql, archive, log }: StoreWatchDeps): () => Promise<void> {
	let hasTold = false;
	return async () => {
		try {
			const missing = await findMissing(sql, archive);
			if (missing !== undefined && !hasTold)
				log.error(
					{ object: missing },
					"the store of ARCHIVE_URL does not have the newest archived document: all processes of a database need the same store",
				);
			hasTold = missing !== undefined;
		} catch {
			// A database or a store that does not answer is told by whoever needs it.
		}
	};
}

async function findMissing(sql: Sql, archive: Pick<Archive, "get">): Promise<string | undefined> {
	const newest = await findNewestObject(sql);
	if (!newest) return undefined;
	try {
		await archive.get(newest.objectKey, newest.versionId);
		return undefined;
	} catch (error) {
		if (!(error instanceof ObjectMissingError)) throw error;
		// It may have been removed meanwhile, as in the public sandbox.
		return (await findNewestObject(sql))?.objectKey === newest.objectKey ? newest.objectKey : undefined;
	}
}
