/** What the thread that prepares an ingest is asked to do. */
import type { TombstoneSet } from "../erasure/tombstones";
import { isSearched } from "../snapshot-directory";
import type { RunRow } from "../store";
import type { IngestDeps } from "./ingest-deps";
import type { PrepareJob } from "./prepare";

/** The job for a source; `erased` is left out, `path` is this host's usable file of the previous run. */
export function jobOf(
	deps: IngestDeps,
	source: string,
	runId: string,
	erased: TombstoneSet,
	previous: RunRow | undefined,
	path: string | undefined,
): PrepareJob {
	const clearedOf = erased.fingerprint;
	return {
		do: "prepare",
		source,
		directory: deps.directory.path,
		runId,
		erased,
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
export function asChanged(job: PrepareJob): PrepareJob {
	return job.previous ? { ...job, previous: { ...job.previous, etag: null, sha256: null } } : job;
}
