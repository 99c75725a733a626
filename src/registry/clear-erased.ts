/**
 * Takes what was erased out of this host's snapshot files: each that holds some of it gives way to a new file without it, and each
 * that is damaged goes.
 */
import { newId } from "../platform/values";
import { SnapshotError, SnapshotGoneError } from "./index/format";
import { findFileId, openSnapshot } from "./index/open";
import { runClear } from "./ingest/in-thread";
import type { IngestDeps } from "./ingest/ingest-deps";
import { isNewestFile, openFile } from "./ingest/load-run";
import { discard } from "./ingest/verify-in-use";
import { checkTurn, inIngestTurn } from "./ingest-lock";
import { isSearched } from "./snapshot-directory";

/**
 * Clears every file of all erasures that the database knows, and takes the run in use from its new file. Serving asks the tombstones
 * anyway, so nothing is shown while this runs. One process of a host does the work, the others find it done. False when
 * the file in use was damaged and had to go.
 */
export async function clearErased(deps: IngestDeps): Promise<boolean> {
	if (deps.signal.aborted || !needsClearing(deps)) return true;
	let wasInUse = false;
	await inIngestTurn(deps, true, async (tx, signal) => {
		await deps.tombstones.refresh();
		const { directory, tombstones } = deps;
		await directory.removeTemporary();
		const clearedOf = tombstones.fingerprint();
		const own = newId();
		const files = uncleared(deps).map(({ path, runId }) => {
			return { path, runId, temporaryPath: directory.temporaryPath(`${own}.${runId}`) };
		});
		try {
			const job = { do: "clear" as const, erased: tombstones.copy(), clearedOf, files };
			const { replaced, unusable } = await runClear(job, signal);
			await checkTurn(tx);
			for (const { path, runId, temporaryPath } of files) {
				if (replaced.includes(path)) await directory.publish(temporaryPath, runId);
			}
			// What cannot be read cannot be cleared either, serves nobody, and can be built anew from its source.
			for (const { path, fault } of unusable) {
				const fileId = findFileId(path);
				if (fileId !== undefined && (await discard(deps, { path, fileId, fault }))) wasInUse = true;
			}
			await directory.writeCleared({ fingerprint: clearedOf, paths: directory.list().map(({ path }) => path) });
			if (replaced.length > 0) deps.log.info({ files: replaced.length }, "erased entries were taken out of the files");
		} finally {
			await directory.removeOwn(own);
		}
	});
	const loaded = deps.current.get();
	if (loaded && !isNewestFile(deps, loaded)) openFile(deps, loaded.run, false);
	return !wasInUse;
}

/** Whether no file of this host holds anything erased any more. */
export function areFilesCleared(deps: Pick<IngestDeps, "directory" | "tombstones">): boolean {
	if (deps.tombstones.isEmpty()) return true;
	return uncleared(deps).length === 0 && deps.directory.listSuperseded().length === 0;
}

function needsClearing(deps: IngestDeps): boolean {
	const loaded = deps.current.get();
	const isOutdated = loaded !== undefined && !isNewestFile(deps, loaded);
	return isOutdated || !areFilesCleared(deps);
}

/** Files that may hold something erased. */
function uncleared({ directory, tombstones }: Pick<IngestDeps, "directory" | "tombstones">) {
	const fingerprint = tombstones.fingerprint();
	const searched = directory.readCleared();
	return directory
		.list()
		.filter(({ path }) => !isSearched(searched, fingerprint, path) && !wasBuiltWithout(path, fingerprint));
}

function wasBuiltWithout(path: string, fingerprint: string): boolean {
	try {
		return openSnapshot(path).manifest.clearedOf === fingerprint;
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		return error instanceof SnapshotGoneError;
	}
}
