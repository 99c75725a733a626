/**
 * One ingest, from the source to what is served: prepare (in a thread) → publish the file → record → swap.
 *
 * One at a time among all processes: the turn is a lock that the recording transaction holds from the beginning, so a process
 * that dies leaves neither a lock nor half a run. Whatever fails before the swap leaves the data in use untouched; the reason
 * stands in the run's row. A process that dies between publishing and recording leaves a file that no run knows; the next one that
 * ingests removes it.
 */
import { operatorActor, recordAudit } from "../../audit";
import type { Sql, Tx } from "../../database";
import { describeError, faultPoint, type Log } from "../../telemetry";
import { type Clock, newId } from "../../values";
import { recordBreak, recordChanges } from "../changes/changes-store";
import { countChanges, unpackChanges } from "../changes/packed-changes";
import type { Current } from "../current";
import type { Tombstones } from "../purge/tombstones";
import { listUnreturned, markReturned } from "../purge/tombstones-store";
import { SnapshotError } from "../snapshot/format";
import { openSnapshot, type Snapshot } from "../snapshot/open";
import { isSearched, type SnapshotDirectory } from "../snapshot-directory";
import {
	confirmRun,
	findLastGoodRun,
	insertRun,
	listKeptRuns,
	listUnwanted,
	type RunRow,
	takeIngestTurn,
} from "../store";
import { runPrepare } from "./in-thread";
import type { Prepared, PrepareJob, SourceFacts } from "./prepare";
import type { OnProgress } from "./progress";
import { SourceError } from "./source-error";

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

export type IngestOptions = {
	/** As `toSourceName` gives it. */
	readonly source: string;
	/** Allows any change of size. */
	readonly force: boolean;
	/** Whether to wait while another process ingests, or to leave it to that one. */
	readonly wait: boolean;
	readonly onProgress?: OnProgress;
};

export type IngestRun = {
	/** The run that holds the data: when the source is unchanged, the one that first had it. */
	readonly runId: string;
	readonly result: "ok" | "unchanged" | "refused" | "failed";
	readonly recordCount: number;
	readonly sha256: string | null;
	readonly durationMs: number;
	/** Why it was refused or failed. */
	readonly reason: string | null;
};

/** Ingests the source; undefined when another process is at it and `wait` is off. Faults of the source are told in the run. */
export async function ingestSource(deps: IngestDeps, options: IngestOptions): Promise<IngestRun | undefined> {
	const started: Started = { runId: newId(), attemptedAt: deps.clock.now(), tickMs: performance.now() };
	const step = await deps.sql.begin(async (tx): Promise<Step | undefined> => {
		if (!(await takeIngestTurn(tx, options.wait, deps.signal))) return undefined;
		const done = await ingestAndRecord(deps, options, started, tx);
		if (options.force) await recordForce(tx, options.source, done.run, deps.clock.now());
		return done;
	});
	if (!step) return undefined;
	const { run } = step;
	faultPoint("registry-committed");
	if (step.inUse) await takeIntoUse(deps, step.inUse);
	faultPoint("registry-swapped");
	const { runId, result, recordCount, durationMs, reason } = run;
	const facts = { runId, result, recordCount, durationMs, reason };
	// What is served grows old from here on, so somebody has to look.
	if (result === "refused" || result === "failed") deps.log.error(facts, "registry ingest did not succeed");
	else deps.log.info(facts, "registry ingest ended");
	return run;
}

/**
 * Takes the data of the last good run into use: from this host's file, or, where there is none or it cannot be used, built from the
 * run's own source. False when that no longer holds the data. Throws: SourceError.
 */
export async function loadRun(deps: IngestDeps, run: RunRow): Promise<boolean> {
	if (openFile(deps, run)) return true;
	return deps.sql.begin(async (tx) => {
		await takeIngestTurn(tx, true, deps.signal);
		// Another process of this host may have built it meanwhile.
		if (openFile(deps, run)) return true;
		await deps.tombstones.refresh();
		try {
			const job = { ...jobOf(deps, run.source, newId(), run, undefined), onlyPrevious: true };
			const prepared = await runPrepare(job, deps.signal);
			if (prepared.kind !== "same" || prepared.path === undefined) return false;
			await deps.directory.publish(prepared.path, run.runId);
			await takeIntoUse(deps, run);
			return true;
		} finally {
			await deps.directory.removeTemporary();
		}
	});
}

/** Swaps this host's file of the run in; false when there is none that can be used. */
export function openFile(deps: IngestDeps, run: RunRow): boolean {
	const path = deps.directory.find(run.runId);
	const snapshot = path === undefined ? undefined : tryOpen(deps, path);
	if (snapshot) deps.current.swap({ run, snapshot });
	return snapshot !== undefined;
}

function tryOpen(deps: Pick<IngestDeps, "log">, path: string): Snapshot | undefined {
	try {
		return openSnapshot(path);
	} catch (error) {
		if (!(error instanceof SnapshotError)) throw error;
		deps.log.warn({ err: describeError(error) }, "a registry snapshot cannot be used");
		return undefined;
	}
}

async function ingestAndRecord(deps: IngestDeps, options: IngestOptions, started: Started, tx: Tx): Promise<Step> {
	try {
		return await ingestUnderLock(deps, options, started, tx);
	} catch (error) {
		// A registry that is being closed has nothing to say about its source.
		if (!(error instanceof SourceError) || deps.signal.aborted) throw error;
		return await recordFailure(options, started, tx, error, deps.clock.now());
	} finally {
		await deps.directory.removeTemporary();
	}
}

type Started = { readonly runId: string; readonly attemptedAt: Date; readonly tickMs: number };
type Step = { readonly run: IngestRun; readonly inUse?: RunRow };

async function ingestUnderLock(deps: IngestDeps, options: IngestOptions, started: Started, tx: Tx): Promise<Step> {
	const { source, force } = options;
	const onProgress: OnProgress = (progress) => {
		faultPoint(`registry-${progress.step}`);
		options.onProgress?.(progress);
	};
	// Before the tombstones are read: a reversal that comes between the two waits for the next ingest.
	const unreturned = await listUnreturned(tx);
	await deps.tombstones.refresh();
	const previous = await findLastGoodRun(tx);
	await deps.directory.removeTemporary();
	const found = previous && deps.directory.find(previous.runId);
	const path = found !== undefined && tryOpen(deps, found) ? found : undefined;
	const job = { ...jobOf(deps, source, started.runId, previous, path), unwanted: await listUnwanted(tx), force };
	const prepared = await runPrepare(unreturned.length > 0 ? asChanged(job) : job, deps.signal, onProgress);
	onProgress({ step: "publish" });
	if (prepared.kind === "unmodified" || prepared.kind === "same") {
		if (!previous) throw new SourceError("failed", "the source is unmodified, but nothing is known of it");
		if (prepared.kind === "same" && prepared.path !== undefined)
			await deps.directory.publish(prepared.path, previous.runId);
		const sourceEtag = prepared.kind === "same" ? prepared.etag : previous.sourceEtag;
		const { attemptedAt } = started;
		const run = { ...previous, source, sourceEtag, attemptedAt, confirmedAt: deps.clock.now() };
		await confirmRun(tx, run);
		return { run: { ...toIngestRun(run), result: "unchanged", durationMs: elapsedMs(started) }, inUse: run };
	}
	if (prepared.kind === "other") throw new Error("an ingest was asked for the previous run's data only");
	const run = toRunRow(prepared, options, started, previous, deps.clock.now());
	if (prepared.kind === "built") await deps.directory.publish(prepared.path, run.runId);
	faultPoint("registry-published");
	await insertRun(tx, run);
	if (prepared.kind === "built") await markReturned(tx, unreturned, run.runId);
	const { format, refused, unknownStatusCount, suppressed } = prepared.facts;
	deps.log.info({ runId: run.runId, format, refused, unknownStatusCount, suppressed }, "registry source parsed");
	if (prepared.kind !== "built") return { run: toIngestRun(run) };
	const { changes } = prepared;
	if (changes) await recordChanges(tx, run.runId, unpackChanges(changes), deps.tombstones.digestOf);
	else await recordBreak(tx, run.runId);
	faultPoint("registry-recorded");
	return { run: toIngestRun(run), inUse: run };
}

function jobOf(
	deps: IngestDeps,
	source: string,
	runId: string,
	previous: RunRow | undefined,
	path: string | undefined,
): PrepareJob {
	const clearedOf = deps.tombstones.fingerprint();
	return {
		do: "prepare",
		source,
		directory: deps.directory.path,
		runId,
		erased: deps.tombstones.copy(),
		clearedOf,
		unwanted: {},
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
function asChanged(job: PrepareJob): PrepareJob {
	return job.previous ? { ...job, previous: { ...job.previous, etag: null, sha256: null } } : job;
}

function toRunRow(
	prepared: Extract<Prepared, { facts: SourceFacts }>,
	options: IngestOptions,
	started: Started,
	previous: RunRow | undefined,
	now: Date,
): RunRow {
	const { facts } = prepared;
	const isBuilt = prepared.kind === "built";
	const first = { added: isBuilt && !previous ? facts.recordCount : null, changed: null, removed: null };
	const counts = isBuilt && prepared.changes ? countChanges(prepared.changes) : undefined;
	const changes = counts ?? (previous ? first : { ...first, changed: 0, removed: 0 });
	return {
		runId: started.runId,
		attemptedAt: started.attemptedAt,
		result: isBuilt ? "ok" : "refused",
		reason: isBuilt ? null : prepared.reason,
		source: options.source,
		sourceEtag: facts.etag,
		sourceSha256: facts.sha256,
		recordCount: facts.recordCount,
		...changes,
		refused: facts.refusedCount,
		suppressed: facts.suppressed,
		durationMs: elapsedMs(started),
		finishedAt: now,
		confirmedAt: now,
	};
}

async function recordFailure(
	options: IngestOptions,
	started: Started,
	tx: Tx,
	error: SourceError,
	now: Date,
): Promise<Step> {
	const run: RunRow = {
		runId: started.runId,
		attemptedAt: started.attemptedAt,
		result: error.result,
		reason: error.message,
		source: options.source,
		sourceEtag: null,
		sourceSha256: null,
		recordCount: 0,
		added: null,
		changed: null,
		removed: null,
		refused: 0,
		suppressed: 0,
		durationMs: elapsedMs(started),
		finishedAt: now,
		confirmedAt: now,
	};
	await insertRun(tx, run);
	return { run: toIngestRun(run) };
}

/** Only the operator can force an ingest. */
async function recordForce(tx: Tx, source: string, run: IngestRun, at: Date): Promise<void> {
	const { runId, result, recordCount, reason } = run;
	await recordAudit(tx, {
		...{ at, actor: operatorActor(), action: "registry.force-ingest", subject: runId },
		details: { source, result, recordCount, reason },
	});
}

function toIngestRun(run: RunRow): IngestRun {
	const { runId, result, recordCount, sourceSha256, durationMs, reason } = run;
	return { runId, result, recordCount, sha256: sourceSha256, durationMs, reason };
}

const elapsedMs = (started: Started) => Math.round(performance.now() - started.tickMs);

/** Swaps the run's file in and removes the files that nobody can go back to any more. */
async function takeIntoUse(deps: IngestDeps, run: RunRow): Promise<void> {
	if (!openFile(deps, run)) throw new Error(`the snapshot of run ${run.runId} is gone right after it was published`);
	await deps.directory.keepOnly(new Set([run.runId, ...(await listKeptRuns(deps.sql))]));
}
