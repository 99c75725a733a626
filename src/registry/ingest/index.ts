/** From the authority's file to the data in use, in every process of every host. */

export { areFilesCleared } from "./clear-files";
export { startRunFollower } from "./follow-runs";
export { HistoryImportError } from "./import-history";
export { runMakeDownloads, runVerify } from "./in-thread";
export { lowerPriority } from "./low-priority";
export type { IngestProgress, IngestStep, OnProgress } from "./prepare";
export { readRefusedLines } from "./refused-lines";
export { type IngestOptions, type IngestRun, ingestSource } from "./run";
export { type IngestDeps, tryOpenHistory } from "./run-files";
export { listRefusedLines, RollbackError, rollBack, runHistoryImport, runIngest, runRollback } from "./run-once";
export { isIngestDue, startSchedule } from "./schedule";
export { SourceError } from "./source/source-error";
