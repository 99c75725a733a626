/** The ingest runs, the snapshot files of this host, and the data in use. */
export { type EntryAsOf, type EntryPeriods, findPeriodOn, findPeriods, type HistoryDeps, openDay } from "./as-of";
export {
	ageSeconds,
	type Current,
	createCurrent,
	findEntry,
	findEntryBytes,
	isStale,
	type Loaded,
	type PageHits,
	type RegistryView,
	registryUnavailable,
	type TakeView,
	toPageHits,
	viewOf,
	viewOrProblem,
} from "./current";
export { assertIngestLock, withIngestLock } from "./ingest-lock";
export { isSearched, openSnapshotDirectory, type SnapshotDirectory } from "./snapshot-directory";
export {
	confirmRun,
	findLastAttempt,
	findLastGoodRun,
	findRun,
	findRunOrdinal,
	insertRun,
	type LastAttempt,
	listKeptRuns,
	listRejectedSources,
	listRuns,
	listRunsAfter,
	listRunsBefore,
	type RunRow,
	rollBackTo,
} from "./store";
