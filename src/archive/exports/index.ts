/** Exports: a period's sealed documents as one file. */
export type { InvoiceFiles } from "./fill-files";
export { createMakeExport } from "./make-export";
export { DOCUMENTS_MAX, type DocumentChoice, orderExport } from "./order";
export { exportOperations } from "./routes";
export { startExportSweeps, sweepExports } from "./sweep";
