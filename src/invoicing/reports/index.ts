/** What a company's documents come to: totals of a period and its documents as a table, from sums and what they lack yet. */

export { createFolding, foldDue, sumAfresh } from "./folding";
export type { Group } from "./groups";
export { findGroups } from "./groups-store";
export { reportOperations } from "./routes";
export { listCounterparties } from "./store";
export { addUp, type ReportTotals, SumsSchema } from "./totals";
export { digestOpenDays, rebuildReports, verifyReports } from "./verify";
