/**
 * Checks what the registry promises against running services. Each scenario prints its counts as one JSON line. The exit code is 1 if a
 * promise was broken.
 *
 *     bun scripts/registry-scenarios.ts                  all scenarios
 *     bun scripts/registry-scenarios.ts kills swaps      some scenarios
 *     options: --records N (760,000), --smoke (small sizes, proves that they run)
 *
 *   corrupt    63 kinds of corrupt source during look-ups: none is swapped in, each run records a reason, no files are left behind
 *   kills      SIGKILL at 11 points of an ingest, 5 times each: the next start serves the last good run at once
 *   together   a timer and two commands start an ingest at the same time, 20 times: only one runs
 *   swaps      1,000,000 calls across 20 swaps: no error, no answer that mixes two runs
 *   purges     1,000 erasures, 5 ingests, a rollback, a restart: no erased record returns in any answer, file, table or log; 10 reversals do
 *   processes  two processes share one snapshot; a swap and an erasure reach both
 *
 * All data lives in a temporary folder with its own database server, which is kept if a promise was broken.
 */
import { parseArgs } from "node:util";
import { corruptScenario } from "./scenarios/corrupt";
import { killsScenario } from "./scenarios/kills";
import { processesScenario } from "./scenarios/processes";
import { purgesScenario } from "./scenarios/purges";
import { checkNames, runScenarios, type Scenario } from "./scenarios/run-scenarios";
import { swapsScenario } from "./scenarios/swaps";
import { togetherScenario } from "./scenarios/together";

const { values: options, positionals: named } = parseArgs({
	options: { records: { type: "string", default: "760000" }, smoke: { type: "boolean", default: false } },
	allowPositionals: true,
});
const records = Number(options.records);

const scenarios: Readonly<Record<string, Scenario>> = {
	corrupt: (context) => corruptScenario(context, records),
	kills: (context) => killsScenario(context, records),
	together: (context) => togetherScenario(context, records),
	swaps: swapsScenario,
	purges: purgesScenario,
	processes: (context) => processesScenario(context, records),
};
checkNames(named, scenarios);
const chosen = Object.keys(scenarios).filter((name) => named.length === 0 || named.includes(name));
process.exit(await runScenarios("registry-scenarios", scenarios, { lanes: [chosen], small: options.smoke }));
