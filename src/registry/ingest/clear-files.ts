/** Erased entries leave this host's files: snapshots, histories and refused lines. */
import { newId } from "../../platform/values";
import { openHistory } from "../history";
import { eraseHistory } from "../history-rows";
import { findFileId, openSnapshot, SnapshotError, SnapshotGoneError } from "../index/index";
import { assertIngestLock, isSearched, withIngestLock } from "../runs";
import { runClear } from "./in-thread";
import { isClearedOf } from "./refused-lines";
import { discardDamaged, type IngestDeps, isNewestFile, openFile } from "./run-files";

/**
 * Removes erased entries from this host's snapshot files, replacing each file that holds some, and deletes damaged files. The run in use
 * continues from its new file. Answers check the tombstones anyway, so nothing erased is shown meanwhile. One process per host does the
 * work. Returns false if the file in use was damaged.
 */
export async function clearErased(deps: IngestDeps): Promise<boolean> {
	if (deps.signal.aborted || !isClearingNeeded(deps)) return true;
	let wasInUse = false;
	await withIngestLock(deps, true, async (tx, signal) => {
		await deps.tombstones.refresh();
		const { directory, tombstones } = deps;
		await directory.removeTemporary();
		const clearedOf = tombstones.fingerprint();
		const own = newId();
		const files = listUncleared(deps).map(({ path, runId, kind }) => {
			return { path, runId, kind, temporaryPath: directory.temporaryPath(`${own}.${runId}.${kind}`) };
		});
		try {
			const refused = listUnclearedLines(deps).map((path) => ({ path, temporaryPath: directory.temporaryPath(own) }));
			const job = { do: "clear" as const, erased: tombstones.copy(), clearedOf, files, refused };
			const { replaced, unusable, erasedKeys } = await runClear(job, signal);
			await assertIngestLock(tx);
			// A restored database may have brought their rows back.
			if (erasedKeys.length > 0) await eraseHistory(tx, erasedKeys);
			for (const { path, runId, kind, temporaryPath } of files) {
				if (replaced.includes(path)) await directory.publish(temporaryPath, runId, kind);
			}
			// A file that cannot be read cannot be cleared or served. It can be rebuilt from its source.
			for (const { path, fault } of unusable) {
				const fileId = findFileId(path);
				if (fileId !== undefined && (await discardDamaged(deps, { path, fileId, fault }))) wasInUse = true;
			}
			await directory.writeCleared({ fingerprint: clearedOf, paths: directory.list().map(({ path }) => path) });
			if (replaced.length > 0)
				deps.log.info(
					{ event: "snapshot.cleared", files: replaced.length },
					"erased entries removed from snapshot files",
				);
		} finally {
			await directory.removeOwn(own);
		}
	});
	const loaded = deps.current.get();
	if (loaded && !isNewestFile(deps, loaded)) openFile(deps, loaded.run, false);
	return !wasInUse;
}

/** Whether no file of this host holds an erased entry. */
export function areFilesCleared(deps: Pick<IngestDeps, "directory" | "tombstones">): boolean {
	if (deps.tombstones.isEmpty()) return true;
	if (listUncleared(deps).length > 0 || listUnclearedLines(deps).length > 0) return false;
	return deps.directory.listSuperseded().length === 0;
}

function isClearingNeeded(deps: IngestDeps): boolean {
	const loaded = deps.current.get();
	const isOutdated = loaded !== undefined && !isNewestFile(deps, loaded);
	return isOutdated || !areFilesCleared(deps);
}

function listUncleared({ directory, tombstones }: Pick<IngestDeps, "directory" | "tombstones">) {
	const fingerprint = tombstones.fingerprint();
	const searched = directory.readCleared();
	return directory.list().filter(({ path, kind }) => {
		return !isSearched(searched, fingerprint, path) && !wasBuiltWithout(path, kind, fingerprint);
	});
}

function listUnclearedLines({ directory, tombstones }: Pick<IngestDeps, "directory" | "tombstones">): string[] {
	const fingerprint = tombstones.fingerprint();
	return directory.listRefused().filter((path) => !isClearedOf(path, fingerprint));
}

function wasBuiltWithout(path: string, kind: "snapshot" | "history", fingerprint: string): boolean {
	try {
		const { manifest } = kind === "history" ? openHistory(path) : openSnapshot(path);
		return manifest.clearedOf === fingerprint;
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		return error instanceof SnapshotGoneError;
	}
}
