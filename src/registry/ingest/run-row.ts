/** What the database and the caller are told of an ingest. */
import { countChanges } from "../changes/packed-changes";
import type { RunRow } from "../store";
import type { Prepared, SourceFacts } from "./prepare";
import type { SourceError } from "./source-error";

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

/** When an ingest began, by the clock and by the processor's ticks. */
export type Started = { readonly runId: string; readonly attemptedAt: Date; readonly tickMs: number };
/** The row of an ingest whose source was read, whether or not it came into use. */
export function toRunRow(
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
		runId: started.runId,
		attemptedAt: started.attemptedAt,
		result: isBuilt ? "ok" : "refused",
		reason: isBuilt ? null : prepared.reason,
		source,
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

/** The row of an ingest whose source could not be read. */
export function toFailedRow(source: string, started: Started, error: SourceError, now: Date): RunRow {
	return {
		runId: started.runId,
		attemptedAt: started.attemptedAt,
		result: error.result,
		reason: error.message,
		source,
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
}

/** What is told of a run. */
export function toIngestRun(run: RunRow): IngestRun {
	const { runId, result, recordCount, sourceSha256, durationMs, reason } = run;
	return { runId, result, recordCount, sha256: sourceSha256, durationMs, reason };
}

export const elapsedMs = (started: Started) => Math.round(performance.now() - started.tickMs);
