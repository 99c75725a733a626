/** Exports: a period's sealed documents as one file. */
export { createMakeExport } from "./make-export";
export { DOCUMENTS_MAX, exportOperations, orderExport } from "./routes";
export { startExportSweeps, sweepExports } from "./sweep";
