/**
 * One ingest, from the source to what is served: prepare (in a thread) → publish the file → record → swap.
 *
 * One at a time among all processes: the turn is a lock that the recording transaction holds from the beginning, so a process
 * that dies leaves neither a lock nor half a run. Whatever fails before the swap leaves the data in use untouched; the reason
 * stands in the run's row. A process that dies between publishing and recording leaves a file that no run knows; the next one that
 * ingests removes it.
 */
import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { Tx } from "../../platform/database";
import { faultPoint } from "../../platform/failpoints";
import { newId } from "../../platform/values";
import { recordBreak, recordChanges } from "../changes/changes-store";
import { unpackChanges } from "../changes/packed-changes";
import { listErasedForRun, markReturned } from "../erasure/tombstones-store";
import { checkTurn, inIngestTurn } from "../ingest-lock";
import { confirmRun, findLastGoodRun, insertRun, listUnwanted, type RunRow } from "../store";
import { runPrepare } from "./in-thread";
import type { IngestDeps } from "./ingest-deps";
import { removeOlder, takeIntoUse } from "./load-run";
import { asChanged, jobOf } from "./prepare-job";
import type { OnProgress } from "./progress";
import { elapsedMs, type IngestRun, type Started, toFailedRow, toIngestRun, toRunRow } from "./run-row";
import { SourceError } from "./source-error";
import { findWhole } from "./verify-in-use";

export type IngestOptions = {
	/** As `toSourceName` gives it. */
	readonly source: string;
	/** Allows any change of size and of the entries. */
	readonly force: boolean;
	/** Whether to wait while another process ingests, or to leave it to that one. */
	readonly wait: boolean;
	readonly onProgress?: OnProgress;
};

/** Ingests the source; undefined when another process is at it and `wait` is off. Faults of the source are told in the run. */
export async function ingestSource(deps: IngestDeps, options: IngestOptions): Promise<IngestRun | undefined> {
	const onWait = () => options.onProgress?.({ step: "wait" });
	const step = await inIngestTurn({ ...deps, onWait }, options.wait, async (tx, signal): Promise<Step> => {
		// Not before: what the turn was waited for is another's time, and so the runs' ids ascend in the order of their turns.
		const started: Started = { runId: newId(), attemptedAt: deps.clock.now(), tickMs: performance.now() };
		const done = await ingestAndRecord({ ...deps, signal }, options, started, tx);
		if (options.force) await recordForce(tx, options.source, done.run, deps.clock.now());
		return done;
	});
	if (!step) return undefined;
	const { run } = step;
	faultPoint("registry-committed");
	if (step.inUse) {
		// What it has taken again after a reversal is held back until here.
		await deps.tombstones.refresh();
		takeIntoUse(deps, step.inUse);
		await removeInTurn(deps);
	}
	faultPoint("registry-swapped");
	const { runId, result, recordCount, durationMs, reason } = run;
	const facts = { runId, result, recordCount, durationMs, reason };
	// What is served grows old from here on, so somebody has to look.
	if (result === "refused" || result === "failed") deps.log.error(facts, "registry ingest did not succeed");
	else deps.log.info(facts, "registry ingest ended");
	return run;
}

/** The row had to be there first, and with it went the turn. Whoever has it now removes them himself, or the next ingest does. */
async function removeInTurn(deps: IngestDeps): Promise<void> {
	await inIngestTurn(deps, false, () => removeOlder(deps));
}

async function ingestAndRecord(deps: IngestDeps, options: IngestOptions, started: Started, tx: Tx): Promise<Step> {
	try {
		return await ingestUnderLock(deps, options, started, tx);
	} catch (error) {
		// A registry that is being closed has nothing to say about its source.
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
		if (step !== "wait") faultPoint(`registry-${step}`);
		options.onProgress?.(progress);
	};
	await deps.tombstones.refresh();
	const { digests, unreturned } = await listErasedForRun(tx);
	const erased = deps.tombstones.copyOf(digests);
	const previous = await findLastGoodRun(tx);
	await deps.directory.removeTemporary();
	// A source that is unchanged confirms the file, and one that is not is compared with it.
	const whole = previous && (await findWhole(deps, previous.runId));
	const unwanted = await listUnwanted(tx);
	const job = { ...jobOf(deps, source, started.runId, erased, previous, whole?.path), unwanted, force };
	const prepared = await runPrepare(unreturned.length > 0 ? asChanged(job) : job, deps.signal, onProgress);
	onProgress({ step: "publish" });
	if (prepared.kind === "unmodified" || prepared.kind === "same") {
		if (!previous) throw new SourceError("failed", "the source is unmodified, but nothing is known of it");
		await checkTurn(tx);
		if (prepared.kind === "same" && prepared.path !== undefined)
			await deps.directory.publish(prepared.path, previous.runId);
		const sourceEtag = prepared.kind === "same" ? prepared.etag : previous.sourceEtag;
		const { attemptedAt } = started;
		const run = { ...previous, source, sourceEtag, attemptedAt, confirmedAt: deps.clock.now() };
		await confirmRun(tx, run);
		return { run: { ...toIngestRun(run), result: "unchanged", durationMs: elapsedMs(started) }, inUse: run };
	}
	if (prepared.kind === "other") throw new Error("an ingest was asked for the previous run's data only");
	const run = toRunRow(prepared, options.source, started, previous, deps.clock.now());
	await checkTurn(tx);
	if (prepared.kind === "built") await deps.directory.publish(prepared.path, run.runId);
	faultPoint("registry-published");
	await insertRun(tx, run);
	if (prepared.kind === "built") await markReturned(tx, unreturned, run.runId);
	const { format, refused, garbledCount, unknownStatusCount, suppressed } = prepared.facts;
	deps.log.info(
		{ runId: run.runId, format, refused, garbledCount, unknownStatusCount, suppressed },
		"registry source parsed",
	);
	if (prepared.kind !== "built") return { run: toIngestRun(run) };
	const { changes } = prepared;
	if (changes) await recordChanges(tx, run.runId, unpackChanges(changes), deps.tombstones.digestOf);
	else await recordBreak(tx, run.runId);
	faultPoint("registry-recorded");
	return { run: toIngestRun(run), inUse: run };
}

async function recordFailure(tx: Tx, run: RunRow): Promise<Step> {
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
