/** The authority's taxpayer registry: look-up, search, freshness, erasure. */
export { RegistryEntry } from "./entry";
export type { PurgeAnswer } from "./erasure/record";
export type { PurgeRequest } from "./erasure/request";
export type { SearchQuery } from "./index/search";
export type { IngestProgress, IngestStep, OnProgress } from "./ingest/progress";
export { runIngest, runRollback } from "./ingest/run-once";
export type { IngestRun } from "./ingest/run-row";
export { openRegistry, type Registry, type RegistryDeps } from "./open-registry";
export { RollbackError } from "./rollback";
export { toSourceName } from "./settings";
export type { RegistryStatus } from "./status";
export { listRuns } from "./store";
