/**
 * One ingest, from the source to what is served: read → parse → leave out the erased → gates → build → record → swap.
 *
 * One at a time among all processes: the turn is a lock that the recording transaction holds from the beginning, so a process
 * that dies leaves neither a lock nor half a run. Whatever fails before the swap leaves the data in use untouched; the reason
 * stands in the run's row.
 */
import type { Sql, Tx } from "../../database";
import { describeError, type Log } from "../../telemetry";
import { type Clock, newId } from "../../values";
import type { Current, Loaded } from "../current";
import type { RegistryEntry } from "../entry";
import { breathe } from "../snapshot/breathe";
import { buildSnapshot, lookupEntry, type Snapshot, sweepSnapshot } from "../snapshot/snapshot";
import { confirmRun, findLastGoodRun, insertRun, type RunRow, takeIngestTurn } from "../store";
import type { Tombstones } from "../tombstones";
import { checkGates } from "./gates";
import { type ParsedSource, parseSource } from "./parse";
import { readSource, type SourceFile } from "./read-source";
import { SourceError } from "./source-error";
import { isZip, unzipOnly } from "./unzip";

export type IngestDeps = {
	readonly sql: Sql;
	readonly clock: Clock;
	readonly log: Log;
	readonly tombstones: Tombstones;
	readonly current: Current;
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
		const previous = await findLastGoodRun(tx);
		try {
			return await ingestUnderLock(deps, options, started, tx, previous);
		} catch (error) {
			// A registry that is being closed has nothing to say about its source.
			if (!(error instanceof SourceError) || deps.signal.aborted) throw error;
			deps.log.warn({ err: describeError(error), runId: started.runId }, "registry ingest did not succeed");
			return await recordFailure(deps, options, started, tx, error);
		}
	});
	if (!step) return undefined;
	if (step.loaded) await takeIntoUse(deps, step.loaded);
	const { runId, result, recordCount, sha256, durationMs, reason } = step.run;
	deps.log.info({ runId, result, recordCount, durationMs, reason }, "registry ingest ended");
	return { runId, result, recordCount, sha256, durationMs, reason };
}

/**
 * Loads the data of a run that another process made, or that was made before a restart, from the run's own source. False when
 * the source no longer holds that data. Throws: SourceError.
 */
export async function loadRun(deps: IngestDeps, run: RunRow): Promise<boolean> {
	const file = await readSource(run.source, { knownEtag: null, signal: deps.signal });
	if (file === "unmodified" || file.sha256 !== run.sourceSha256) return false;
	const { entries } = await leaveOutErased(await parse(file), deps.tombstones);
	await takeIntoUse(deps, { run, snapshot: await buildSnapshot(entries) });
	return true;
}

type Started = { readonly runId: string; readonly attemptedAt: Date; readonly tickMs: number };
type Step = { readonly run: IngestRun; readonly loaded?: Loaded };

async function ingestUnderLock(
	deps: IngestDeps,
	options: IngestOptions,
	started: Started,
	tx: Tx,
	previous: RunRow | undefined,
): Promise<Step> {
	const inUse = deps.current.get();
	const hasPrevious = previous !== undefined && inUse?.run.runId === previous.runId;
	const knownEtag = hasPrevious && previous.source === options.source ? previous.sourceEtag : null;
	const file = await readSource(options.source, { knownEtag, signal: deps.signal });
	if (previous && (file === "unmodified" || file.sha256 === previous.sourceSha256)) {
		const etag = file === "unmodified" ? previous.sourceEtag : file.etag;
		const snapshot = hasPrevious ? inUse.snapshot : await rebuild(deps, file);
		return await confirm(deps, options, started, tx, previous, etag, snapshot);
	}
	if (file === "unmodified") throw new SourceError("failed", "the source is unmodified, but nothing is known of it");
	const parsed = await parse(file);
	const { entries, suppressed } = await leaveOutErased(parsed, deps.tombstones);
	const previousRows = previous && previous.recordCount + previous.suppressed;
	const fault = checkGates({ ...parsed, rows: parsed.entries.length }, previousRows, options.force);
	const snapshot = fault === undefined ? await buildSnapshot(entries) : undefined;
	const changes =
		previous && hasPrevious
			? await countChanges(inUse.snapshot, entries)
			: { added: previous ? null : entries.length, changed: previous ? null : 0, removed: previous ? null : 0 };
	const finishedAt = deps.clock.now();
	const run: RunRow = {
		runId: started.runId,
		attemptedAt: started.attemptedAt,
		result: snapshot ? "ok" : "refused",
		reason: fault ?? null,
		source: options.source,
		sourceEtag: file.etag,
		sourceSha256: file.sha256,
		recordCount: entries.length,
		...changes,
		refused: parsed.refusedCount,
		suppressed,
		durationMs: elapsedMs(started),
		finishedAt,
		confirmedAt: finishedAt,
	};
	await insertRun(tx, run);
	const { format, refused, unknownStatusCount } = parsed;
	deps.log.info({ runId: run.runId, format, refused, unknownStatusCount, suppressed }, "registry source parsed");
	return { run: toIngestRun(run), ...(snapshot ? { loaded: { run, snapshot } } : {}) };
}

async function confirm(
	deps: IngestDeps,
	options: IngestOptions,
	started: Started,
	tx: Tx,
	previous: RunRow,
	sourceEtag: string | null,
	snapshot: Snapshot,
): Promise<Step> {
	const { source } = options;
	const run = { ...previous, source, sourceEtag, attemptedAt: started.attemptedAt, confirmedAt: deps.clock.now() };
	await confirmRun(tx, run);
	const result = { ...toIngestRun(run), result: "unchanged" as const, durationMs: elapsedMs(started) };
	return { run: result, loaded: { run, snapshot } };
}

async function recordFailure(
	deps: IngestDeps,
	options: IngestOptions,
	started: Started,
	tx: Tx,
	error: SourceError,
): Promise<Step> {
	const finishedAt = deps.clock.now();
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
		finishedAt,
		confirmedAt: finishedAt,
	};
	await insertRun(tx, run);
	return { run: toIngestRun(run) };
}

function toIngestRun(run: RunRow): IngestRun {
	const { runId, result, recordCount, sourceSha256, durationMs, reason } = run;
	return { runId, result, recordCount, sha256: sourceSha256, durationMs, reason };
}

const elapsedMs = (started: Started) => Math.round(performance.now() - started.tickMs);

async function parse(file: SourceFile): Promise<ParsedSource> {
	return parseSource(isZip(file.bytes) ? await unzipOnly(file.bytes) : file.bytes);
}

async function rebuild(deps: IngestDeps, file: SourceFile | "unmodified"): Promise<Snapshot> {
	if (file === "unmodified") throw new Error("a source is unmodified although nothing of it is loaded");
	const { entries } = await leaveOutErased(await parse(file), deps.tombstones);
	return buildSnapshot(entries);
}

async function leaveOutErased(parsed: ParsedSource, tombstones: Tombstones) {
	if (tombstones.isEmpty()) return { entries: parsed.entries, suppressed: 0 };
	const entries: RegistryEntry[] = [];
	for (const [i, entry] of parsed.entries.entries()) {
		if (!tombstones.isErased(entry.rnc)) entries.push(entry);
		if (i % 5_000 === 0) await breathe();
	}
	return { entries, suppressed: parsed.entries.length - entries.length };
}

async function countChanges(before: Snapshot, after: readonly RegistryEntry[]) {
	let added = 0;
	let changed = 0;
	for (const [i, entry] of after.entries()) {
		const old = lookupEntry(before, entry.rnc);
		if (!old) added++;
		else if (!isSameEntry(old, entry)) changed++;
		if (i % 20_000 === 0) await breathe();
	}
	return { added, changed, removed: before.rowOf.size - (after.length - added) };
}

function isSameEntry(a: RegistryEntry, b: RegistryEntry): boolean {
	return (
		a.name === b.name &&
		a.trade_name === b.trade_name &&
		a.economic_activity === b.economic_activity &&
		a.status === b.status &&
		a.payment_regime === b.payment_regime
	);
}

/** Swaps the data in. What was erased while it was being built is erased from it now; serving asks the tombstones anyway. */
async function takeIntoUse(deps: IngestDeps, loaded: Loaded): Promise<void> {
	deps.current.swap(loaded);
	if (!deps.tombstones.isEmpty()) await sweepSnapshot(loaded.snapshot, deps.tombstones.isErased);
}
