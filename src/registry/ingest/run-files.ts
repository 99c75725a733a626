import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import { type Clock, newId } from "../../platform/values";
import { omitsUnknownEntries, type Tombstones } from "../erasure";
import { type HistoryFile, openHistory } from "../history";
import {
	findFileId,
	openSnapshot,
	type Snapshot,
	SnapshotError,
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
import type { RegistryStore } from "../store";
import { runPrepare, runVerify } from "./in-thread";
import type { VerifyAnswer } from "./kept-files";
import type { PrepareJob } from "./prepare";

export type IngestDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly tombstones: Tombstones;
	readonly current: Current;
	readonly directory: SnapshotDirectory;
	/** Absent if every host builds its own files. */
	readonly store?: RegistryStore;
	/** Ends a download when the registry is closed. */
	readonly signal: AbortSignal;
};

/** The job for a source. `erased` is left out; `path` is this host's usable file of the previous run. */
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
						fieldsKept: previous.fieldsKept,
						fieldsFromRun: previous.fieldsFromRun,
						...(path === undefined ? {} : { path }),
						isSearched: path !== undefined && isSearched(deps.directory.readCleared(), clearedOf, path),
					},
				}
			: {}),
	};
}

/** The source now yields other data than the last good run, because an erasure was reversed or kept values are gone. It counts as changed. */
export function asChanged(job: PrepareJob): PrepareJob {
	return job.previous ? { ...job, previous: { ...job.previous, etag: null, sha256: null } } : job;
}

/**
 * Takes the data of the last good run into use: from this host's file, from the store, or else rebuilt from the run's source.
 * The rebuilt data omits erased entries and those omitted by the run, so that a run has the same data on every host. Returns the reason if
 * it fails. Throws: SourceError.
 */
export async function loadRun(deps: IngestDeps, run: RunRow): Promise<string | undefined> {
	if (openFile(deps, run, false)) return undefined;
	if ((await fetchRun(deps, run.runId)) && openFile(deps, run, false)) return undefined;
	return withIngestLock(deps, true, async (tx, signal) => {
		// Another process of this host may have built it in the meantime.
		if (openFile(deps, run, false)) return undefined;
		await deps.tombstones.refresh();
		if (await omitsUnknownEntries(tx)) return NOT_REBUILDABLE;
		if (run.fieldsKept.length > 0) return KEPT_VALUES_GONE;
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

/** Fetches a run's files from the store; false if there is no store, it lacks them, or it cannot be read. */
async function fetchRun({ store, directory, log }: IngestDeps, runId: string): Promise<boolean> {
	if (!store) return false;
	try {
		const isFetched = await store.fetch(directory, runId);
		if (isFetched) log.info({ event: "store.fetched", runId }, "registry run fetched from the store");
		return isFetched;
	} catch (err) {
		log.warn({ event: "store.fetch_failed", runId, err }, "registry run not fetched from the store");
		return false;
	}
}

const SOURCE_CHANGED = "the source no longer holds the data of the last registry run";
const KEPT_VALUES_GONE =
	"the last registry run cannot be rebuilt, because its source lacks values that it kept from an earlier run: the next ingest makes a new one";
const NOT_REBUILDABLE =
	"the last registry run cannot be rebuilt, because the reversed erasures that it omits are unknown: the next ingest makes a new one";

/**
 * Puts this host's file of the run into use; returns false if there is no usable one. `isVerified` is false if `verifyInUse` must still
 * read the whole file.
 */
export function openFile(deps: IngestDeps, run: RunRow, isVerified: boolean): boolean {
	const path = deps.directory.find(run.runId);
	const snapshot = path === undefined ? undefined : tryOpen(deps, path);
	if (snapshot) deps.current.swap({ run, snapshot, isVerified, ...historyOf(deps, run.runId) });
	return snapshot !== undefined;
}

function historyOf(deps: Pick<IngestDeps, "log" | "directory">, runId: string): Pick<Loaded, "history"> {
	const history = tryOpenHistory(deps, runId);
	return history ? { history } : {};
}

/** This host's history of a run, as far as its header shows it can be used. It is rebuilt if it is missing. */
export function tryOpenHistory(
	{ log, directory }: Pick<IngestDeps, "log" | "directory">,
	runId: string,
): HistoryFile | undefined {
	const path = directory.find(runId, "history");
	try {
		return path === undefined ? undefined : openHistory(path);
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		log.warn({ event: "history.unusable", err: error }, "registry history cannot be used");
		return undefined;
	}
}

/** This host's file of a run, if it is usable. */
export function openRun(deps: Pick<IngestDeps, "log" | "directory">, runId: string): Snapshot | undefined {
	const path = deps.directory.find(runId);
	return path === undefined ? undefined : tryOpen(deps, path);
}

/** Undefined, and a log line, for an unusable file. */
function tryOpen(deps: Pick<IngestDeps, "log">, path: string): Snapshot | undefined {
	try {
		return openSnapshot(path);
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		deps.log.warn({ event: "snapshot.unusable", err: error }, "registry snapshot cannot be used");
		return undefined;
	}
}

/** Puts the run's file into use, which this process has just built or verified. */
export function takeIntoUse(deps: IngestDeps, run: RunRow): void {
	if (!openFile(deps, run, true))
		throw new Error(`the snapshot of run ${run.runId} is gone right after it was published`);
}

/**
 * Removes files that no rollback can return to. The caller must hold the ingest lock, because another process may have published a file of
 * a run that is not recorded yet.
 */
export async function removeOlder(deps: IngestDeps): Promise<void> {
	await deps.directory.keepOnly(new Set(await listKeptRuns(deps.sql)));
}

export function isNewestFile(
	{ directory }: Pick<IngestDeps, "directory">,
	{ run, snapshot, history }: Loaded,
): boolean {
	const isNewest = (path: string | undefined, file: Pick<Snapshot, "path" | "fileId"> | undefined) =>
		path === file?.path && (path === undefined || findFileId(path) === file?.fileId);
	return isNewest(directory.find(run.runId), snapshot) && isNewest(directory.find(run.runId, "history"), history);
}

/**
 * Verifies the whole file in use, and removes it from service if it is damaged. The file is served from the moment it opens; the
 * verification follows in a thread, so that no answer waits for it. Returns false if the file was damaged; then an older one or none is in
 * use.
 */

export async function verifyInUse(deps: IngestDeps): Promise<boolean> {
	const loaded = deps.current.get();
	if (!loaded || loaded.isVerified) return true;
	const { snapshot } = loaded;
	let answer = await verify(deps, snapshot);
	// Another process removed the file, perhaps because of damage. The mapping still shows its content.
	if (answer.found === "gone") answer = await verifyHere(deps, snapshot);
	if (answer.found === "damaged") {
		await discardDamaged(deps, { ...snapshot, fault: answer.fault });
		return false;
	}
	await verifyHistoryInUse(deps, loaded);
	const now = deps.current.get();
	if (now?.snapshot === snapshot) deps.current.swap({ ...now, isVerified: true });
	return true;
}

/** A damaged history is removed and rebuilt from the table; look-ups do without it meanwhile. */
async function verifyHistoryInUse(deps: IngestDeps, { history }: Loaded): Promise<void> {
	if (!history) return;
	const { path, fileId, manifest } = history;
	const answer = await runVerify({ do: "verify", file: { path, fileId, sections: manifest.sections } }, deps.signal);
	if (answer.found !== "damaged") return;
	const now = deps.current.get();
	if (now?.history === history) {
		const { history: _, ...others } = now;
		deps.current.swap(others);
	}
	await discardHistory(deps, path, answer.fault);
}

/** Removes a damaged history. */
export async function discardHistory({ log, directory }: IngestDeps, path: string, fault: string): Promise<void> {
	log.error({ event: "history.damaged", path, fault }, "removing a damaged registry history");
	await directory.remove([path]).catch((err) => {
		directory.setAside(path);
		log.error({ event: "history.removal_failed", path, err }, "damaged registry history not removed");
	});
}

/** The verified file of a run; undefined if there is none without damage. A damaged file is removed. */
export async function findIntactFile(deps: IngestDeps, runId: string): Promise<Snapshot | undefined> {
	const path = deps.directory.find(runId);
	const snapshot = path === undefined ? undefined : tryOpen(deps, path);
	if (!snapshot) return undefined;
	const answer = await verify(deps, snapshot);
	if (answer.found === "damaged") await discardDamaged(deps, { ...snapshot, fault: answer.fault });
	return answer.found === "whole" ? snapshot : undefined;
}

/** The same; a file that this host lacks is fetched from the store. */
export async function fetchIntactFile(deps: IngestDeps, runId: string): Promise<Snapshot | undefined> {
	const own = await findIntactFile(deps, runId);
	if (own || !(await fetchRun(deps, runId))) return own;
	return findIntactFile(deps, runId);
}

/**
 * Removes a damaged file. It needs no lock, because the file can be rebuilt from its source. If the file was in use, the newest older run
 * with an intact file is served, or nothing: no answer is better than a wrong one. Returns whether it was in use.
 */
export async function discardDamaged(
	deps: IngestDeps,
	{ path, fileId, fault }: Pick<Snapshot, "path" | "fileId"> & { readonly fault: string },
): Promise<boolean> {
	const wasInUse = deps.current.drop(fileId);
	deps.log.error({ event: "snapshot.damaged", path, fault, wasInUse }, "removing a damaged registry snapshot");
	// A failing disk may refuse changes while its intact files can still be served.
	if (findFileId(path) === fileId) await deps.directory.remove([path]).catch((err) => setAside(deps, path, err));
	if (wasInUse) await serveOlder(deps);
	return wasInUse;
}

function setAside({ log, directory }: IngestDeps, path: string, err: unknown): void {
	directory.setAside(path);
	log.error({ event: "snapshot.removal_failed", path, err }, "damaged registry snapshot not removed");
}

async function serveOlder(deps: IngestDeps): Promise<void> {
	const lastGood = (await findLastGoodRun(deps.sql))?.runId;
	for (const runId of await listKeptRuns(deps.sql)) {
		const run = await findRun(deps.sql, runId);
		const snapshot = run && (await findIntactFile(deps, runId));
		if (!snapshot) continue;
		deps.current.swap({ run, snapshot, isVerified: true, ...historyOf(deps, runId) });
		logOlderServed(deps, runId, lastGood);
		return;
	}
	deps.log.error(
		{ event: "snapshot.none_intact" },
		"no intact registry snapshot; look-ups are unavailable until one is built",
	);
}

export function logOlderServed({ log }: Pick<IngestDeps, "log">, runId: string, lastGood: string | undefined): void {
	if (runId === lastGood) return;
	log.error(
		{ event: "registry.older_run_served", runId, lastGood },
		"last good run has no usable file; serving an older run",
	);
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
