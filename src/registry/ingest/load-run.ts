/** Takes a run's data into use: from this host's file of it, or built from the run's own source. */
import { newId } from "../../platform/values";
import type { Loaded } from "../current";
import { lacksUnknown } from "../erasure/tombstones-store";
import { SnapshotError } from "../index/format";
import { findFileId, openSnapshot, type Snapshot } from "../index/open";
import { checkTurn, inIngestTurn } from "../ingest-lock";
import { listKeptRuns, type RunRow } from "../store";
import { runPrepare } from "./in-thread";
import type { IngestDeps } from "./ingest-deps";
import { jobOf } from "./prepare-job";

/**
 * Takes the data of the last good run into use: from this host's file, or, where there is none or it cannot be used, built from the
 * run's own source, without what is erased and what was when it came into use: a run has the same data on every host. Answers why it could not
 * be. Throws: SourceError.
 */
export async function loadRun(deps: IngestDeps, run: RunRow): Promise<string | undefined> {
	if (openFile(deps, run, false)) return undefined;
	return inIngestTurn(deps, true, async (tx, signal) => {
		// Another process of this host may have built it meanwhile.
		if (openFile(deps, run, false)) return undefined;
		await deps.tombstones.refresh();
		if (await lacksUnknown(tx)) return REVERSED;
		// What a crash has left.
		await deps.directory.removeTemporary();
		const own = newId();
		try {
			const erased = deps.tombstones.copy();
			const job = { ...jobOf(deps, run.source, own, erased, run, undefined), onlyPrevious: true };
			const prepared = await runPrepare(job, signal);
			if (prepared.kind !== "same" || prepared.path === undefined) return GONE;
			await checkTurn(tx);
			await deps.directory.publish(prepared.path, run.runId);
			takeIntoUse(deps, run);
			await removeOlder(deps);
			return undefined;
		} finally {
			await deps.directory.removeOwn(own);
		}
	});
}

const GONE = "the source no longer holds the data of the last registry run";
const REVERSED =
	"the last registry run cannot be built anew, since nothing tells which reversed erasures it went without: the next ingest makes another one";

/**
 * Swaps this host's file of the run in; false when there is none that can be used. `isVerified` unless somebody must still read all of it,
 * which verify-in-use.ts does.
 */
export function openFile(deps: IngestDeps, run: RunRow, isVerified: boolean): boolean {
	const path = deps.directory.find(run.runId);
	const snapshot = path === undefined ? undefined : tryOpen(deps, path);
	if (snapshot) deps.current.swap({ run, snapshot, isVerified });
	return snapshot !== undefined;
}

/** Undefined, and a line in the log, for a file that cannot be used. */
export function tryOpen(deps: Pick<IngestDeps, "log">, path: string): Snapshot | undefined {
	try {
		return openSnapshot(path);
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		deps.log.warn({ err: error }, "a registry snapshot cannot be used");
		return undefined;
	}
}

/** Swaps the run's file in, which this process has just built or verified. */
export function takeIntoUse(deps: IngestDeps, run: RunRow): void {
	if (!openFile(deps, run, true))
		throw new Error(`the snapshot of run ${run.runId} is gone right after it was published`);
}

/** Removes the files that nobody can go back to any more. Whoever calls this holds the ingest's turn: another one may have published a file whose run is not known yet. */
export async function removeOlder(deps: IngestDeps): Promise<void> {
	await deps.directory.keepOnly(new Set(await listKeptRuns(deps.sql)));
}

/** Whether no other file has taken the place of the one in use. */
export function isNewestFile({ directory }: Pick<IngestDeps, "directory">, { run, snapshot }: Loaded): boolean {
	const path = directory.find(run.runId);
	return path === snapshot.path && findFileId(path) === snapshot.fileId;
}
