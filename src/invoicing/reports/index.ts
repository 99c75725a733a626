/** What a company's documents come to: totals of a period and its documents as a table, from sums that every verdict keeps up. */

export { digestOpenDays } from "./digest";
export { reportOperations } from "./routes";
export { rebuildReports, verifyReports } from "./verify";
