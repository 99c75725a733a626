import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import { createCurrent } from "../current";
import { createTombstones } from "../erasure/tombstones";
import { rollBack } from "../rollback";
import { toSourceName } from "../settings";
import { openSnapshotDirectory } from "../snapshot-directory";
import type { IngestDeps } from "./ingest-deps";
import type { OnProgress } from "./progress";
import { ingestSource } from "./run";
import type { IngestRun } from "./run-row";

export type RunIngestDeps = {
	readonly sql: Sql;
	/** Where this host's snapshots live. */
	readonly directory: string;
	readonly pepper: Uint8Array;
	readonly clock: Clock;
	readonly log: Log;
};

/**
 * Ingests from a process that serves nothing itself, such as the operator's command: the serving processes are told by the
 * database and map the same file. `force` allows any change of size and of the entries. Throws a RangeError for a source that is not allowed.
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
	if (!run) throw new Error("an ingest that waits for its turn came back without one");
	return run;
}

/** Goes back to an earlier run's data from a process that serves nothing itself. `onWait` hears when an ingest is waited for. Throws: RollbackError. */
export async function runRollback(
	deps: RunIngestDeps,
	runId: string,
	onWait?: () => void,
): Promise<{ readonly runId: string }> {
	const run = await rollBack(toIngestDeps(deps), runId, onWait);
	return { runId: run.runId };
}

function toIngestDeps({ sql, directory, pepper, clock, log }: RunIngestDeps): IngestDeps {
	return {
		sql,
		clock,
		log,
		tombstones: createTombstones(sql, pepper),
		current: createCurrent(),
		directory: openSnapshotDirectory(directory),
		signal: new AbortController().signal,
	};
}
