import type { Sql } from "../../platform/database";
import type { Log } from "../../platform/telemetry";
import type { Clock } from "../../platform/values";
import type { Current } from "../current";
import type { Tombstones } from "../erasure/tombstones";
import type { SnapshotDirectory } from "../snapshot-directory";

/** What all that changes the data in use works with. */
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
