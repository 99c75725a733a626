/** The authority's taxpayer registry: look-up, search, freshness, erasure. */
export { RegistryEntry } from "./entry";
export type { IngestOptions, IngestRun } from "./ingest/run";
export { type RunIngestDeps, runIngest } from "./ingest/run-once";
export { openRegistry, type Registry, type RegistryDeps } from "./open-registry";
export type { PurgeAnswer, PurgeRequest, SignReceipt } from "./purge";
export type { SearchHits, SearchQuery } from "./snapshot/search";
export type { RegistryStatus } from "./status";
export { listRuns } from "./store";
