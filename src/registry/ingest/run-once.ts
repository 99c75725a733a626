import type { Sql } from "../../database";
import type { Log } from "../../telemetry";
import type { Clock } from "../../values";
import { createCurrent } from "../current";
import { createTombstones } from "../tombstones";
import { toSourceName } from "./read-source";
import { type IngestRun, ingestSource } from "./run";

export type RunIngestDeps = {
	readonly sql: Sql;
	readonly pepper: Uint8Array;
	readonly clock: Clock;
	readonly log: Log;
};

/**
 * Ingests from a process that serves nothing itself, such as the operator's command: the serving processes are told by the
 * database and load the same source. `force` allows any change of size. Throws a RangeError for a source that is not allowed.
 */
export async function runIngest(
	deps: RunIngestDeps,
	options: { readonly source: string; readonly force?: boolean },
): Promise<IngestRun> {
	const tombstones = createTombstones(deps.sql, deps.pepper);
	await tombstones.refresh();
	const { sql, clock, log } = deps;
	const ingestDeps = { sql, clock, log, tombstones, current: createCurrent(), signal: new AbortController().signal };
	const source = toSourceName(options.source);
	const run = await ingestSource(ingestDeps, { source, force: options.force ?? false, wait: true });
	if (!run) throw new Error("an ingest that waits for its turn came back without one");
	return run;
}
