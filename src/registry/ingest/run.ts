/**
 * One ingest, from the source to the data in use: prepare (in a thread) → publish the file → record → swap.
 *
 * Only one process ingests at a time. The recording transaction holds the lock from the start, so a process that dies leaves neither a lock
 * nor half a run. Any failure before the swap leaves the data in use untouched, and the run's row has the reason. A process that dies
 * between publishing and recording leaves a file without a run, which the next ingest removes.
 */
import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { failpoint } from "../../platform/failpoints";
import { createWake } from "../../platform/outbox";
import { newId } from "../../platform/values";
import { recordBreak, recordChanges, withFields } from "../changes";
import { blockErasures, listErasedForRun, markReturned } from "../erasure";
import { beginEra, recordHistory } from "../history-rows";
import { countChanges, unpackChanges } from "../index/index";
import {
	assertIngestLock,
	confirmRun,
	findLastGoodRun,
	insertRun,
	listRejectedSources,
	type RunRow,
	withIngestLock,
} from "../runs";
import { queueJoin } from "../watchlists";
import { blockErasedKeys, planHistory } from "./history-files";
import { runPrepare } from "./in-thread";
import { putIntoStore } from "./keep-store";
import type { OnProgress, Prepared, SourceFacts } from "./prepare";
import { asChanged, fetchIntactFile, type IngestDeps, jobOf, openRun, removeOlder, takeIntoUse } from "./run-files";
import { SourceError } from "./source/source-error";

export type IngestOptions = {
	readonly source: string;
	/** Allows any change of size and of entries. */
	readonly force: boolean;
	/** Whether to wait while another process ingests, or to return at once. */
	readonly wait: boolean;
	readonly onProgress?: OnProgress;
};

/** Ingests the source; undefined if another process is ingesting and `wait` is off. Problems of the source are reported in the run. */
export async function ingestSource(deps: IngestDeps, options: IngestOptions): Promise<IngestRun | undefined> {
	const onWait = () => options.onProgress?.({ step: "wait" });
	const step = await withIngestLock({ ...deps, onWait }, options.wait, async (tx, signal): Promise<Step> => {
		// After the lock is acquired, so that run ids ascend in lock order and the duration excludes the wait.
		const started: Started = { runId: newId(), attemptedAt: deps.clock.now(), tickMs: performance.now() };
		const done = await ingestAndRecord({ ...deps, signal }, options, started, tx);
		if (options.force) await recordForce(tx, options.source, done.run, deps.clock.now());
		return done;
	});
	if (!step) return undefined;
	const { run } = step;
	createWake(deps.sql)();
	failpoint("registry-committed");
	if (step.inUse) {
		// Until here, entries restored after a reversal are held back.
		await deps.tombstones.refresh();
		takeIntoUse(deps, step.inUse);
		await removeOlderUnderLock(deps);
	}
	failpoint("registry-swapped");
	const { runId, result, recordCount, durationMs, reason } = run;
	const facts = { runId, result, recordCount, durationMs, reason };
	// An error, because the data in use ages from here on.
	if (result === "refused" || result === "failed")
		deps.log.error({ event: "registry.ingest_failed", ...facts }, "registry ingest did not succeed");
	else deps.log.info({ event: "registry.ingested", ...facts }, "registry ingest ended");
	return run;
}

/** The commit that recorded the run released the lock. If another process holds it, that process or the next ingest removes the files. */
async function removeOlderUnderLock(deps: IngestDeps): Promise<void> {
	await withIngestLock(deps, false, () => removeOlder(deps));
}

async function ingestAndRecord(deps: IngestDeps, options: IngestOptions, started: Started, tx: Tx): Promise<Step> {
	try {
		return await ingestUnderLock(deps, options, started, tx);
	} catch (error) {
		// A registry that is being closed does not report its source.
		if (!(error instanceof SourceError) || deps.signal.aborted) throw error;
		return await recordFailure(tx, toFailedRow(options.source, started, error, deps.clock.now()));
	} finally {
		await deps.directory.removeOwn(started.runId);
	}
}

type Step = { readonly run: IngestRun; readonly inUse?: RunRow };

async function ingestUnderLock(deps: IngestDeps, options: IngestOptions, started: Started, tx: Tx): Promise<Step> {
	const { source, force } = options;
	const onProgress: OnProgress = (progress) => {
		const { step } = progress;
		if (step !== "wait") failpoint(`registry-${step}`);
		options.onProgress?.(progress);
	};
	await deps.tombstones.refresh();
	const { digests, unreturned } = await listErasedForRun(tx);
	const erased = deps.tombstones.copyOf(digests);
	const previous = await findLastGoodRun(tx);
	await deps.directory.removeTemporary();
	// An unchanged source confirms this file, a changed one is compared with it.
	const whole = previous && (await fetchIntactFile(deps, previous.runId));
	const rejectedSources = await listRejectedSources(tx);
	const history = await planHistory(deps, tx, started, whole && previous, erased.fingerprint);
	const job = { ...jobOf(deps, source, started.runId, erased, previous, whole?.path), rejectedSources, force, history };
	const areValuesGone = !whole && previous !== undefined && previous.fieldsKept.length > 0;
	const isChanged = unreturned.length > 0 || areValuesGone;
	const prepared = await runPrepare(isChanged ? asChanged(job) : job, deps.signal, onProgress);
	onProgress({ step: "publish" });
	if (prepared.kind === "unmodified" || prepared.kind === "same") {
		if (!previous) throw new SourceError("failed", "the source is unmodified, but no run has its data");
		await assertIngestLock(tx);
		if (prepared.kind === "same" && prepared.path !== undefined)
			await deps.directory.publish(prepared.path, previous.runId);
		const sourceEtag = prepared.kind === "same" ? prepared.etag : previous.sourceEtag;
		const { attemptedAt } = started;
		const run = { ...previous, source, sourceEtag, attemptedAt, confirmedAt: deps.clock.now() };
		await confirmRun(tx, run);
		return { run: { ...toIngestRun(run), result: "unchanged", durationMs: elapsedMs(started) }, inUse: run };
	}
	if (prepared.kind === "other") throw new Error("an ingest returned data other than the previous run's");
	const run = toRunRow(prepared, options.source, started, previous, deps.clock.now());
	await assertIngestLock(tx);
	if (prepared.kind === "built") {
		await deps.directory.publish(prepared.path, run.runId);
		if (prepared.history) await deps.directory.publish(prepared.history.path, run.runId, "history");
	}
	await deps.directory.publishRefused(run.runId);
	failpoint("registry-published");
	// Before the others learn of the run, so that they find it.
	if (prepared.kind === "built") await putIntoStore(deps, run.runId, erased);
	await insertRun(tx, run);
	if (prepared.kind === "built") await markReturned(tx, unreturned, run.runId);
	const { format, refused, healed, guessed, garbledCount, unknownStatusCount, suppressed } = prepared.facts;
	deps.log.info(
		{
			event: "registry.source_parsed",
			runId: run.runId,
			format,
			refused,
			healed,
			guessed,
			garbledCount,
			unknownStatusCount,
			suppressed,
		},
		"registry source parsed",
	);
	if (prepared.kind !== "built") return { run: toIngestRun(run) };
	const { changes } = prepared;
	const historyRows = prepared.history?.rows;
	const { digestOf } = deps.tombstones;
	if (changes) {
		const described = withFields(unpackChanges(changes), whole, openRun(deps, run.runId));
		await recordChanges(tx, run, described, { digestOf, blockErasures });
		await queueJoin(tx, run.runId);
	} else await recordBreak(tx, run);
	const isErased = await blockErasedKeys(deps, tx);
	if (historyRows) await recordHistory(tx, historyRows, isErased);
	else {
		if (previous)
			deps.log.warn(
				{ event: "history.interrupted", runId: run.runId, previous: previous.runId },
				"history before this run cannot be answered, because this host lacks the previous run's data",
			);
		await beginEra(tx, history.moment);
	}
	failpoint("registry-recorded");
	return { run: toIngestRun(run), inUse: run };
}

async function recordFailure(tx: Tx, run: RunRow): Promise<Step> {
	await insertRun(tx, run);
	return { run: toIngestRun(run) };
}

async function recordForce(tx: Tx, source: string, run: IngestRun, at: Date): Promise<void> {
	const { runId, result, recordCount, reason } = run;
	await recordAudit(tx, {
		...{ at, actor: operatorActor(), action: "registry.force-ingest", subject: runId },
		details: { source, result, recordCount, reason },
	});
}

export type IngestRun = {
	/** The run that holds the data; for an unchanged source, the run that first had it. */
	readonly runId: string;
	readonly result: "ok" | "unchanged" | "refused" | "failed";
	readonly recordCount: number;
	readonly sha256: string | null;
	readonly durationMs: number;
	readonly reason: string | null;
};

/** The start of an ingest, by the clock and by a monotonic timer. */
type Started = { readonly runId: string; readonly attemptedAt: Date; readonly tickMs: number };
/** The row of an ingest whose source was read, whether or not its data is used. */
function toRunRow(
	prepared: Extract<Prepared, { facts: SourceFacts }>,
	source: string,
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
		...commonColumns(source, started, now),
		result: isBuilt ? "ok" : "refused",
		reason: isBuilt ? null : prepared.reason,
		sourceEtag: facts.etag,
		sourceSha256: facts.sha256,
		recordCount: facts.recordCount,
		...changes,
		refused: facts.refusedCount,
		suppressed: facts.suppressed,
		healed: facts.healed,
		guessed: facts.guessed,
		columnsIgnored: facts.format.ignored,
		fieldsKept: facts.fieldsKept,
		fieldsFromRun: facts.fieldsFromRun,
	};
}

function toFailedRow(source: string, started: Started, error: SourceError, now: Date): RunRow {
	return {
		...commonColumns(source, started, now),
		...{ result: error.result, reason: error.message, sourceEtag: null, sourceSha256: null },
		...{ recordCount: 0, added: null, changed: null, removed: null, refused: 0, suppressed: 0 },
		...{ healed: 0, guessed: 0, columnsIgnored: [], fieldsKept: [], fieldsFromRun: null },
	};
}

function commonColumns(source: string, started: Started, now: Date) {
	const { runId, attemptedAt } = started;
	return { runId, attemptedAt, source, durationMs: elapsedMs(started), finishedAt: now, confirmedAt: now };
}

function toIngestRun(run: RunRow): IngestRun {
	const { runId, result, recordCount, sourceSha256, durationMs, reason } = run;
	return { runId, result, recordCount, sha256: sourceSha256, durationMs, reason };
}

const elapsedMs = (started: Started) => Math.round(performance.now() - started.tickMs);
