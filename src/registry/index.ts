/** The authority's taxpayer registry: look-up, search, freshness, erasure. */
export { RegistryEntry } from "./entry";
export type { IngestProgress, IngestStep, OnProgress } from "./ingest/progress";
export { runIngest, runRollback } from "./ingest/run-once";
export type { IngestRun } from "./ingest/run-row";
export { openRegistry, type Registry, type RegistryDeps } from "./open-registry";
export type { PurgeAnswer } from "./purge/record";
export type { PurgeRequest } from "./purge/request";
export { RollbackError } from "./rollback";
export { toSourceName } from "./settings";
export type { SearchQuery } from "./snapshot/search";
export type { RegistryStatus } from "./status";
export { listRuns } from "./store";
