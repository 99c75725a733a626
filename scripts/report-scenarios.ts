/**
 * Checks what reports promise while services and writers are killed. Each scenario prints its counts as one JSON line. The exit code is 1
 * if
 * a promise was broken.
 *
 *     bun scripts/report-scenarios.ts              with 100,000 documents
 *     bun scripts/report-scenarios.ts --smoke      with 1,500
 *
 *   sums   three companies get random documents from the service's own statements and real ones from the service; both are killed with
 *          SIGKILL. Every grouping, the documents' table and the digest must match a brute-force sum over the stored requests.
 */
import { parseArgs } from "node:util";
import { shareEnvironment } from "./scenarios/archive/environment";
import { KILLED_SETTINGS, sumsScenario } from "./scenarios/reports/sums";
import { checkNames, runScenarios, type Scenario } from "./scenarios/run-scenarios";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});
const scenarios: Readonly<Record<string, Scenario>> = { sums: shareEnvironment(KILLED_SETTINGS)(sumsScenario) };
const chosen = options.only?.split(",") ?? Object.keys(scenarios);
checkNames(chosen, scenarios);
process.exit(await runScenarios("report-scenarios", scenarios, { lanes: [chosen], small: options.smoke }));
