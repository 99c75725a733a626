/**
 * What reports promise, tried on services and writers that are killed. Each drill prints its counts as one JSON line; the exit code is 1 when a
 * promise was broken.
 *
 *     bun scripts/report-drills.ts              with 100,000 documents
 *     bun scripts/report-drills.ts --smoke      with 1,500
 *
 *   sums   random documents of three companies written by the verdicts' own statements, real ones by the service, both killed with SIGKILL: every
 *          way of grouping, the documents' table and the digest against a brute-force sum over the stored requests
 */
import { parseArgs } from "node:util";
import { shareStage } from "./drills/archive/stage";
import { drillSums, KILLED_SETTINGS } from "./drills/reports/sums";
import { checkNames, type Drill, runDrills } from "./drills/theatre";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});
const drills: Readonly<Record<string, Drill>> = { sums: shareStage(KILLED_SETTINGS)(drillSums) };
const chosen = options.only?.split(",") ?? Object.keys(drills);
checkNames(chosen, drills);
process.exit(await runDrills("report-drills", drills, { lanes: [chosen], small: options.smoke }));
