/** Exports: a period's sealed documents as one file. */
export { createMakeExport } from "./make-export";
export { exportOperations } from "./routes";
export { startExportSweeps, sweepExports } from "./sweep";
