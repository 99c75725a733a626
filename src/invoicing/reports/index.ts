/** What a company's documents come to: totals of a period and its documents as a table, from sums and what they lack yet. */

export { createFolding, foldDue, sumAfresh } from "./folding";
export { reportOperations } from "./routes";
export { listCounterparties } from "./store";
export type { ReportTotals } from "./totals";
export { digestOpenDays, rebuildReports, verifyReports } from "./verify";
