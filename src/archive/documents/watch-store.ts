/**
 * Checks whether this process has the same store as the processes that write the archive's index. Two machines with different folders would each
 * keep a part of the archive, which would show only when evidence is requested.
 *
 * Reads the newest object, which exists before its row: once at the start and then every ten minutes.
 */
import { Cron } from "croner";
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Archive, ObjectMissingError } from "../object-store/archive";
import { findNewestObject } from "./store";

type Watching = { readonly sql: Sql; readonly archive: Pick<Archive, "get">; readonly log: Pick<Log, "error"> };

const EVERY_TEN_MINUTES = "4-54/10 * * * *";

/** Checks now and on a schedule. Returns a function that stops it. */
export function startStoreWatch(deps: Watching): () => void {
	const check = createStoreCheck(deps);
	void check();
	const job = new Cron(EVERY_TEN_MINUTES, { timezone: "UTC", protect: true }, check);
	return () => job.stop();
}

/** Logs a missing object once, until a newer one is found. Never rejects. */
export function createStoreCheck({ sql, archive, log }: Watching): () => Promise<void> {
	let hasLogged = false;
	return async () => {
		try {
			const missing = await findMissing(sql, archive);
			if (missing !== undefined && !hasLogged)
				log.error(
					{ event: "archive.object_missing", object: missing },
					"the store of ARCHIVE_URL lacks the newest archived document; all processes of a database need the same store",
				);
			hasLogged = missing !== undefined;
		} catch {
			// The operations that need the database or the store report its failure.
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
		// It may have been removed in the meantime, as in the public sandbox.
		return (await findNewestObject(sql))?.objectKey === newest.objectKey ? newest.objectKey : undefined;
	}
}
