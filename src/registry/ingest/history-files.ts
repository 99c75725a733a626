/**
 * Keeps a host's history files in step with the table. An ingest builds its run's file from the previous one. Everything else finds out here
 * that the last good run's file is missing, damaged or of another start, and builds it under the ingest lock:
 *
 *   an older run's file + the rows since its last day ──▶ file          usual, for a host that did not ingest the run
 *   all rows ──▶ file                                                   after an import or the loss of all files
 *   the snapshots that are kept ──▶ rows ──▶ file                       once, when nothing is recorded yet
 */
import type { Tx } from "../../platform/database";
import { newId } from "../../platform/values";
import { blockErasures } from "../erasure";
import { createHistoryRows, dayOf, type HistoryFile, type HistoryStart, isSameBegin, openHistory } from "../history";
import { insertHistoryStart, listHistoryStarts, readHistory, recordHistory } from "../history-rows";
import { digitsOf } from "../index/index";
import {
	assertIngestLock,
	findLastGoodRun,
	findRun,
	isSearched,
	listKeptRuns,
	type RunRow,
	withIngestLock,
} from "../runs";
import type { HistoryPlan } from "./history-jobs";
import { runCompare, runMerge, runVerify } from "./in-thread";
import { discardHistory, type IngestDeps, openFile, tryOpenHistory } from "./run-files";

/** What the history of a new run continues. Call it with the previous run only if its snapshot is intact. */
export async function planHistory(
	deps: IngestDeps,
	tx: Tx,
	run: { readonly runId: string; readonly attemptedAt: Date },
	previous: RunRow | undefined,
	fingerprint: string,
): Promise<HistoryPlan> {
	const file = previous && (await bringHistory(deps, tx, previous));
	// Gap: a run counts for the day on which it began. A clock that goes back does not reorder days.
	const moment = { runId: run.runId, day: Math.max(dayOf(run.attemptedAt), ...(file ? [lastDayOf(file)] : [])) };
	if (!file) return { moment };
	const isCleared =
		file.manifest.clearedOf === fingerprint || isSearched(deps.directory.readCleared(), fingerprint, file.path);
	return { moment, base: { path: file.path, isCleared } };
}

function lastDayOf({ manifest: { begins, moments } }: HistoryFile): number {
	return Math.max(...begins.map(({ day }) => day), ...moments.slice(-1).map(({ day }) => day));
}

/** Whether a number was erased, in the transaction that must not write it; blocks erasures until it ends. */
export async function blockErasedKeys(
	{ tombstones }: Pick<IngestDeps, "tombstones">,
	tx: Tx,
): Promise<((key: number) => boolean) | undefined> {
	const erased = new Set(await blockErasures(tx));
	if (erased.size === 0) return undefined;
	return (key) => erased.has(tombstones.digestOf(digitsOf(key)).toString("hex"));
}

/** Brings the history of the data in use, if it is the last good run's. */
export async function followHistory(deps: IngestDeps): Promise<void> {
	const loaded = deps.current.get();
	const run = loaded && (await findLastGoodRun(deps.sql));
	if (!run || run.runId !== loaded.run.runId || deps.signal.aborted) return;
	const begins = await listHistoryStarts(deps.sql);
	if (loaded.history && isSameBegin(loaded.history.manifest.begins, begins)) return;
	await withIngestLock(deps, true, async (tx, signal) => {
		const last = await findLastGoodRun(tx);
		if (last?.runId === run.runId) await bringHistory({ ...deps, signal }, tx, run);
	});
	const now = deps.current.get();
	if (now?.run.runId === run.runId) openFile(deps, now.run, now.isVerified);
}

/** This host's verified history of the last good run, built if it is missing. The caller holds the ingest lock. */
export async function bringHistory(deps: IngestDeps, tx: Tx, run: RunRow): Promise<HistoryFile> {
	let begins = await listHistoryStarts(tx);
	if (begins.length === 0) begins = await seedHistory(deps, tx, run);
	const own = await findIntactHistory(deps, run.runId, begins);
	if (own) return own;
	const base = await findBase(deps, tx, run, begins);
	const rows = createHistoryRows();
	for await (const { key, moment, was } of readHistory(tx, base && lastDayOf(base))) rows.add(key, moment, was);
	const name = newId();
	const path = deps.directory.temporaryPath(`${name}.history`);
	try {
		const { runId } = run;
		const job = { do: "merge-history" as const, rows: rows.finish(), runId, begins, path };
		await runMerge({ ...job, ...(base ? { basePath: base.path } : {}) }, deps.signal);
		await assertIngestLock(tx);
		return openHistory(await deps.directory.publish(path, runId, "history"));
	} finally {
		await deps.directory.removeOwn(name);
	}
}

/** The newest older file whose runs all still count. */
async function findBase(
	deps: IngestDeps,
	tx: Tx,
	run: RunRow,
	begins: readonly HistoryStart[],
): Promise<HistoryFile | undefined> {
	for (const runId of await listKeptRuns(tx)) {
		const file = runId === run.runId ? undefined : await findIntactHistory(deps, runId, begins);
		if (file) return file;
	}
	return undefined;
}

/** Undefined, and the file is removed, if it is damaged; undefined too if the history began otherwise. */
async function findIntactHistory(
	deps: IngestDeps,
	runId: string,
	begins: readonly HistoryStart[],
): Promise<HistoryFile | undefined> {
	const file = tryOpenHistory(deps, runId);
	if (!file || !isSameBegin(file.manifest.begins, begins)) return undefined;
	const { path, fileId, manifest } = file;
	const answer = await runVerify({ do: "verify", file: { path, fileId, sections: manifest.sections } }, deps.signal);
	if (answer.found === "whole") return file;
	if (answer.found === "damaged") await discardHistory(deps, path, answer.fault);
	return undefined;
}

/** Records what the kept runs changed, back to the first whose file this host lacks. */
async function seedHistory(deps: IngestDeps, tx: Tx, run: RunRow): Promise<HistoryStart[]> {
	const found: { readonly day: number; readonly runId: string; readonly path: string }[] = [];
	for (const runId of await listKeptRuns(tx)) {
		const path = deps.directory.find(runId);
		const row = await findRun(tx, runId);
		if (path === undefined || !row) break;
		// Days must not descend from older to newer runs.
		const day = Math.min(dayOf(row.finishedAt), found.at(-1)?.day ?? Number.POSITIVE_INFINITY);
		found.push({ day, runId, path });
	}
	const [newest, ...older] = found;
	let oldest = newest?.runId === run.runId ? newest : { runId: run.runId, day: dayOf(run.finishedAt), path: "" };
	const sets = [];
	if (newest?.runId === run.runId) {
		let after = newest;
		for (const before of older) {
			const { runId, day } = after;
			const job = { do: "compare" as const, beforePath: before.path, afterPath: after.path, moment: { runId, day } };
			const { rows } = await runCompare(job, deps.signal);
			if (!rows) break;
			sets.push(rows);
			after = before;
		}
		oldest = after;
	}
	const isErased = await blockErasedKeys(deps, tx);
	for (const rows of sets.reverse()) await recordHistory(tx, rows, isErased);
	await insertHistoryStart(tx, { runId: oldest.runId, day: oldest.day, isImported: false });
	const { runId, day } = oldest;
	deps.log.info({ event: "history.started", runId, runs: sets.length + 1 }, "history of the registry started");
	return [{ runId, day, isImported: false }];
}
