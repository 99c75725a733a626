/** The authority's taxpayer registry: look-up, search, freshness, erasure. */
export { openRegistryKeys, registryKeyContext, rotateRegistryKey } from "./attestation";
export { deleteGrant, putGrant } from "./downloads";
export { RegistryEntry } from "./entry";
export { ERASED_NUMBER_CONTEXT, type PurgeAnswer, type PurgeRequest } from "./erasure";
export { toIsoDay } from "./history";
export type { SearchQuery } from "./index/index";
export type { IngestProgress, IngestRun, IngestStep, OnProgress } from "./ingest";
export {
	HistoryImportError,
	listRefusedLines,
	RollbackError,
	runHistoryImport,
	runIngest,
	runRollback,
	SourceError,
} from "./ingest";
export { ACTIVE_STATUS } from "./known-values";
export { type EdgeRegistry, openEdgeRegistry } from "./open-edge-registry";
export { openRegistry, type Registry, type RegistryDeps } from "./open-registry";
export type { RegistryStatus } from "./routes";
export { listRuns } from "./runs";
export { toSourceName } from "./settings";
export { describeSubject } from "./subject";
export {
	type Counterparties,
	createFillWatchlist,
	createJoinWatchlists,
	createQueueDigests,
	createSendDigest,
	DIGEST_LINK_PATH,
	orderDigests,
	orderFillings,
	type Source as WatchlistSource,
	sweepDigests,
	type WriteWatchEvents,
} from "./watchlists";
