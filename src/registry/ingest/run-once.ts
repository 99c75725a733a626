import { basename } from "node:path";
import { operatorActor, recordAudit } from "../../identity/audit-log";
import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { recordBreak, recordChanges, withFields } from "../changes";
import { blockErasures, createTombstones, forgetReturns } from "../erasure";
import { dayOf } from "../history";
import { rollBackHistory } from "../history-rows";
import { unpackChanges } from "../index/index";
import {
	createCurrent,
	findLastGoodRun,
	findRun,
	listRunsAfter,
	openSnapshotDirectory,
	type RunRow,
	rollBackTo,
	withIngestLock,
} from "../runs";
import { toSourceName } from "../settings";
import { openRegistryStore } from "../store";
import { queueJoin } from "../watchlists";
import { type HistoryImport, importHistory } from "./import-history";
import { runReturn } from "./in-thread";
import type { OnProgress } from "./prepare";
import { holdsErased, type RefusedLines, readRefusedLines } from "./refused-lines";
import { type IngestRun, ingestSource } from "./run";
import { type IngestDeps, openFile, openRun } from "./run-files";

type RunIngestDeps = {
	readonly sql: Sql;
	readonly directory: string;
	/** A folder or `s3://bucket/prefix` that all hosts share. */
	readonly store?: string | undefined;
	readonly pepper: Uint8Array;
	readonly clock: Clock;
	readonly log: Log;
};

/**
 * Ingests from a process that serves nothing, such as the operator's command. The database notifies the serving processes, which map the
 * same file. `force` allows any change of size and of entries. Throws: RangeError for a source that is not allowed.
 */
export async function runIngest(
	deps: RunIngestDeps,
	options: { readonly source: string; readonly force?: boolean; readonly onProgress?: OnProgress },
): Promise<IngestRun> {
	const { force = false, onProgress } = options;
	const source = toSourceName(options.source);
	const run = await ingestSource(toIngestDeps(deps), {
		source,
		force,
		wait: true,
		...(onProgress ? { onProgress } : {}),
	});
	if (!run) throw new Error("an ingest that waits for the lock returned without a run");
	return run;
}

/** Rolls back from a process that serves nothing. `onWait` is called if another ingest must end first. Throws: RollbackError. */
export async function runRollback(
	deps: RunIngestDeps,
	runId: string,
	onWait?: () => void,
): Promise<{ readonly runId: string }> {
	const run = await rollBack(toIngestDeps(deps), runId, onWait);
	return { runId: run.runId };
}

/** The refused lines of a run, or of the newest run that has some, without those that contain an erased number; undefined if none are kept. */
export async function listRefusedLines(
	{ sql, pepper, directory }: Pick<RunIngestDeps, "sql" | "pepper" | "directory">,
	runId?: string,
): Promise<RefusedLines | undefined> {
	const path = openSnapshotDirectory(directory)
		.listRefused()
		.find((one) => runId === undefined || basename(one).startsWith(runId));
	if (path === undefined) return undefined;
	const tombstones = createTombstones(sql, pepper);
	await tombstones.refresh();
	const { lines, ...run } = readRefusedLines(path);
	return { ...run, lines: lines.filter(({ text }) => !holdsErased(text, tombstones.isErased)) };
}

/** Imports an older file from a process that serves nothing. Throws: HistoryImportError; SourceError; RangeError for a source that is not allowed. */
export async function runHistoryImport(
	deps: RunIngestDeps,
	{ source, ...options }: { readonly source: string; readonly day: string; readonly apply: boolean },
	onWait?: () => void,
): Promise<HistoryImport> {
	return importHistory(toIngestDeps(deps), { source: toSourceName(source), ...options }, onWait);
}

function toIngestDeps({ sql, directory, store, pepper, clock, log }: RunIngestDeps): IngestDeps {
	return {
		sql,
		clock,
		log,
		tombstones: createTombstones(sql, pepper),
		current: createCurrent(),
		directory: openSnapshotDirectory(directory),
		...(store === undefined ? {} : { store: openRegistryStore(store, pepper) }),
		signal: new AbortController().signal,
	};
}

/** Rolls back to the data of an earlier run, for later data that is wrong although it passed the gates. */

export class RollbackError extends Error {
	constructor(
		readonly runId: string,
		reason: string,
	) {
		super(`cannot roll back to registry run ${runId}: ${reason}`);
		this.name = "RollbackError";
	}
}

/**
 * Serves an earlier run's data again, in every process. Later runs count as refused, and only a forced ingest accepts their sources. Erased
 * entries stay erased. `onWait` is called if another ingest must end first. Throws: RollbackError.
 */
export async function rollBack(
	deps: IngestDeps,
	runId: string,
	onWait?: () => void,
	actor = operatorActor(),
): Promise<RunRow> {
	const run = await withIngestLock({ ...deps, ...(onWait ? { onWait } : {}) }, true, async (tx, signal) => {
		const left = await findLastGoodRun(tx);
		const target = await findRun(tx, runId);
		if (target?.result !== "ok") throw new RollbackError(runId, "there is no good run with this id");
		const path = deps.directory.find(runId);
		if (path === undefined) throw new RollbackError(runId, "this host no longer keeps its data");
		const isOther = left !== undefined && left.runId !== runId;
		const leftPath = isOther ? deps.directory.find(left.runId) : undefined;
		const job = { do: "return" as const, path, ...(leftPath === undefined ? {} : { leftPath }) };
		const prepared = await runReturn(job, signal);
		if (prepared.fault !== undefined) throw new RollbackError(runId, `its file is damaged: ${prepared.fault}`);
		const abandoned = await listRunsAfter(tx, runId);
		await forgetReturns(tx, abandoned);
		await rollBackTo(tx, runId);
		// Erasures remove rows of the history too, and would wait for these.
		await blockErasures(tx);
		await rollBackHistory(tx, abandoned, { runId, day: dayOf(deps.clock.now()) });
		await recordAudit(tx, {
			at: deps.clock.now(),
			actor,
			action: "registry.rollback",
			subject: runId,
			details: { left: left?.runId ?? null },
		});
		// A rollback changes entries like an ingest, so the feed shows it.
		if (isOther && prepared.changes) {
			const { digestOf } = deps.tombstones;
			const before = left && openRun(deps, left.runId);
			const changes = withFields(unpackChanges(prepared.changes), before, openRun(deps, runId));
			await recordChanges(tx, target, changes, { digestOf, blockErasures });
			await queueJoin(tx, runId);
		} else if (isOther) await recordBreak(tx, target);
		return target;
	});
	if (!run || !openFile(deps, run, true)) throw new RollbackError(runId, "its file cannot be used");
	return run;
}
