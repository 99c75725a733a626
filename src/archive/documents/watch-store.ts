/**
 * Checks whether this process has the same store as the processes that write the archive's index. Two machines with different folders would each
 * keep a part of the archive, which would show only when evidence is requested.
 *
 *   newest object, which exists before its row   a key of the archive   at the start   every ten minutes
 *   there, or nothing is archived yet            –                      starts         –
 *   missing                                      there                  starts         logs it once
 *   missing                                      missing                refused        logs it once
 *
 * Only the start of an empty or foreign store is refused: without one object a service can still issue, and the rest of its archive is safe.
 */
import { Cron } from "croner";
import { withTimeout } from "../../platform/concurrency";
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { findKeys, keyObject } from "../checkpoints";
import { type Archive, ObjectMissingError } from "../object-store/archive";
import { findNewestObject } from "./store";

type Store = { readonly sql: Sql; readonly archive: Pick<Archive, "get"> };
type Watching = Store & { readonly log: Pick<Log, "error"> };

const EVERY_TEN_MINUTES = "4-54/10 * * * *";
const START_WAIT_MS = 3_000;

/** The store of ARCHIVE_URL is not the one that the database's archive is in. The message is for the operator. */
export class ForeignStoreError extends Error {
	constructor(object: string) {
		super(
			`ARCHIVE_URL names a store with neither the newest archived document (${object}) nor a key of this database's archive: set ARCHIVE_URL to the archive's store and see that its volume is mounted; to begin a new store because the archive is lost, run \`bun run admin archive rotate-key\``,
		);
		this.name = "ForeignStoreError";
	}
}

/** Throws: ForeignStoreError. A store that fails, or does not answer within three seconds, is taken for the right one. */
export async function checkStoreAtStart({ sql, archive }: Store): Promise<void> {
	const check = async () => {
		const missing = await findMissing(sql, archive);
		if (missing === undefined) return;
		for (const { name } of await findKeys(sql)) if (await holds(archive, keyObject(name))) return;
		throw new ForeignStoreError(missing);
	};
	try {
		await withTimeout(check(), START_WAIT_MS, () => undefined);
	} catch (error) {
		if (error instanceof ForeignStoreError) throw error;
	}
}

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

async function findMissing(sql: Sql, archive: Store["archive"]): Promise<string | undefined> {
	const newest = await findNewestObject(sql);
	if (!newest || (await holds(archive, newest.objectKey, newest.versionId))) return undefined;
	// It may have been removed in the meantime, as in the public sandbox.
	return (await findNewestObject(sql))?.objectKey === newest.objectKey ? newest.objectKey : undefined;
}

async function holds(archive: Store["archive"], key: string, versionId?: string | null): Promise<boolean> {
	try {
		await archive.get(key, versionId);
		return true;
	} catch (error) {
		if (error instanceof ObjectMissingError) return false;
		throw error;
	}
}
