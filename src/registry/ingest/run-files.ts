import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import { omitsUnknownEntries, type Tombstones } from "../erasure";
import {
	findFileId,
	openSnapshot,
	type Snapshot,
	SnapshotError,
	SnapshotGoneError,
	type TombstoneSet,
	verifyMapped,
} from "../index/index";
import {
	assertIngestLock,
	type Current,
	findLastGoodRun,
	findRun,
	isSearched,
	type Loaded,
	listKeptRuns,
	type RunRow,
	type SnapshotDirectory,
	withIngestLock,
} from "../runs";
import { runClear, runPrepare, runVerify } from "./in-thread";
import type { VerifyAnswer } from "./kept-files";
import type { PrepareJob } from "./prepare";

/** What all that changes the data in use works with. */
export type IngestDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly tombstones: Tombstones;
	readonly current: Current;
	readonly directory: SnapshotDirectory;
	/** Ends a download when the registry is closed. */
	readonly signal: AbortSignal;
};

/** What the thread that prepares an ingest is asked to do. */

/** The job for a source; `erased` is left out, `path` is this host's usable file of the previous run. */
export function jobOf(
	deps: IngestDeps,
	source: string,
	runId: string,
	erased: TombstoneSet,
	previous: RunRow | undefined,
	path: string | undefined,
): PrepareJob {
	const clearedOf = erased.fingerprint;
	return {
		do: "prepare",
		source,
		directory: deps.directory.path,
		runId,
		erased,
		clearedOf,
		rejectedSources: {},
		force: false,
		onlyPrevious: false,
		...(previous
			? {
					previous: {
						runId: previous.runId,
						etag: path !== undefined && previous.source === source ? previous.sourceEtag : null,
						sha256: previous.sourceSha256,
						rows: previous.recordCount + previous.suppressed,
						...(path === undefined ? {} : { path }),
						isSearched: path !== undefined && isSearched(deps.directory.readCleared(), clearedOf, path),
					},
				}
			: {}),
	};
}

/** The same source holds more than the last good run, which was built without what is erased no longer: it counts as another one. */
export function asChanged(job: PrepareJob): PrepareJob {
	return job.previous ? { ...job, previous: { ...job.previous, etag: null, sha256: null } } : job;
}

/** Takes a run's data into use: from this host's file of it, or built from the run's own source. */

/**
 * Takes the data of the last good run into use: from this host's file, or, where there is none or it cannot be used, built from the
 * run's own source, without what is erased and what was when it came into use: a run has the same data on every host. Answers why it could not
 * be. Throws: SourceError.
 */
export async function loadRun(deps: IngestDeps, run: RunRow): Promise<string | undefined> {
	if (openFile(deps, run, false)) return undefined;
	return withIngestLock(deps, true, async (tx, signal) => {
		// Another process of this host may have built it meanwhile.
		if (openFile(deps, run, false)) return undefined;
		await deps.tombstones.refresh();
		if (await omitsUnknownEntries(tx)) return NOT_REBUILDABLE;
		// What a crash has left.
		await deps.directory.removeTemporary();
		const own = newId();
		try {
			const erased = deps.tombstones.copy();
			const job = { ...jobOf(deps, run.source, own, erased, run, undefined), onlyPrevious: true };
			const prepared = await runPrepare(job, signal);
			if (prepared.kind !== "same" || prepared.path === undefined) return SOURCE_CHANGED;
			await assertIngestLock(tx);
			await deps.directory.publish(prepared.path, run.runId);
			takeIntoUse(deps, run);
			await removeOlder(deps);
			return undefined;
		} finally {
			await deps.directory.removeOwn(own);
		}
	});
}

const SOURCE_CHANGED = "the source no longer holds the data of the last registry run";
const NOT_REBUILDABLE =
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

/**
 * Reads all of a file that this host has lying there, and takes a damaged one out of service: what a disk has changed would be told as
 * the truth. Nobody waits for it who wants an answer: the file is served from its opening on, and read behind that, in a thread.
 */

/** Verifies the file in use unless that was done. False when it had to go, and an older one or none is in use. */
export async function verifyInUse(deps: IngestDeps): Promise<boolean> {
	const loaded = deps.current.get();
	if (!loaded || loaded.isVerified) return true;
	const { snapshot } = loaded;
	let answer = await verify(deps, snapshot);
	// Another process has removed it, perhaps because it is damaged. What is mapped here is still that file.
	if (answer.found === "gone") answer = await verifyHere(deps, snapshot);
	if (answer.found === "damaged") {
		await discardDamaged(deps, { ...snapshot, fault: answer.fault });
		return false;
	}
	const now = deps.current.get();
	if (now?.snapshot === snapshot) deps.current.swap({ ...now, isVerified: true });
	return true;
}

/** The file of a run, verified; undefined when there is none that is whole, and a damaged one is gone by then. */
export async function findIntactFile(deps: IngestDeps, runId: string): Promise<Snapshot | undefined> {
	const path = deps.directory.find(runId);
	const snapshot = path === undefined ? undefined : tryOpen(deps, path);
	if (!snapshot) return undefined;
	const answer = await verify(deps, snapshot);
	if (answer.found === "damaged") await discardDamaged(deps, { ...snapshot, fault: answer.fault });
	return answer.found === "whole" ? snapshot : undefined;
}

/**
 * Removes a damaged file, by nobody's turn: it can be built anew from its source. When it was in use, the newest older run with a whole file is served instead,
 * and nothing where there is none: no answer is better than a wrong one. True when it was in use.
 */
export async function discardDamaged(
	deps: IngestDeps,
	{ path, fileId, fault }: Pick<Snapshot, "path" | "fileId"> & { readonly fault: string },
): Promise<boolean> {
	const wasInUse = deps.current.drop(fileId);
	deps.log.error({ path, fault, wasInUse }, "a damaged registry snapshot is removed");
	// A disk that is damaged may take no change any more; what is whole on it can still be served.
	if (findFileId(path) === fileId) await deps.directory.remove([path]).catch((err) => setAside(deps, path, err));
	if (wasInUse) await serveOlder(deps);
	return wasInUse;
}

function setAside({ log, directory }: IngestDeps, path: string, err: unknown): void {
	directory.setAside(path);
	log.error({ path, err }, "a damaged registry snapshot could not be removed");
}

async function serveOlder(deps: IngestDeps): Promise<void> {
	const lastGood = (await findLastGoodRun(deps.sql))?.runId;
	for (const runId of await listKeptRuns(deps.sql)) {
		const run = await findRun(deps.sql, runId);
		const snapshot = run && (await findIntactFile(deps, runId));
		if (!snapshot) continue;
		deps.current.swap({ run, snapshot, isVerified: true });
		logOlderServed(deps, runId, lastGood);
		return;
	}
	deps.log.error("no registry snapshot is whole: look-ups are unavailable until one is built");
}

/** Says that what is served is not what was ingested last. */
export function logOlderServed({ log }: Pick<IngestDeps, "log">, runId: string, lastGood: string | undefined): void {
	if (runId === lastGood) return;
	log.error({ runId, lastGood }, "the last good run has no usable file: an older run is served");
}

function verify({ signal }: IngestDeps, { path, fileId, manifest }: Snapshot): Promise<VerifyAnswer> {
	return runVerify({ do: "verify", file: { path, fileId, sections: manifest.sections } }, signal);
}

async function verifyHere({ signal }: IngestDeps, snapshot: Snapshot): Promise<VerifyAnswer> {
	try {
		await verifyMapped(snapshot, signal);
		return { found: "whole" };
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		return { found: "damaged", fault: error.fault };
	}
}

/**
 * Takes what was erased out of this host's snapshot files: each that holds some of it gives way to a new file without it, and each
 * that is damaged goes.
 */

/**
 * Clears every file of all erasures that the database knows, and takes the run in use from its new file. Serving asks the tombstones
 * anyway, so nothing is shown while this runs. One process of a host does the work, the others find it done. False when
 * the file in use was damaged and had to go.
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
		const files = listUncleared(deps).map(({ path, runId }) => {
			return { path, runId, temporaryPath: directory.temporaryPath(`${own}.${runId}`) };
		});
		try {
			const job = { do: "clear" as const, erased: tombstones.copy(), clearedOf, files };
			const { replaced, unusable } = await runClear(job, signal);
			await assertIngestLock(tx);
			for (const { path, runId, temporaryPath } of files) {
				if (replaced.includes(path)) await directory.publish(temporaryPath, runId);
			}
			// What cannot be read cannot be cleared either, serves nobody, and can be built anew from its source.
			for (const { path, fault } of unusable) {
				const fileId = findFileId(path);
				if (fileId !== undefined && (await discardDamaged(deps, { path, fileId, fault }))) wasInUse = true;
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
	return listUncleared(deps).length === 0 && deps.directory.listSuperseded().length === 0;
}

function isClearingNeeded(deps: IngestDeps): boolean {
	const loaded = deps.current.get();
	const isOutdated = loaded !== undefined && !isNewestFile(deps, loaded);
	return isOutdated || !areFilesCleared(deps);
}

/** Files that may hold something erased. */
function listUncleared({ directory, tombstones }: Pick<IngestDeps, "directory" | "tombstones">) {
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
