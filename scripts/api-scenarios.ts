/**
 * What the API promises to everybody who calls it, tried on services that run. Every scenario reads the service's own OpenAPI document and makes
 * its requests from that, so that an operation is tried as soon as it is described. Each prints its counts as one JSON line; the exit code is
 * 1 when a promise was broken.
 *
 *     bun scripts/api-scenarios.ts                    all of them
 *     bun scripts/api-scenarios.ts --only NAME,NAME   some of them
 *     bun scripts/api-scenarios.ts --smoke            all of them, small; times are told and not judged
 *
 *   isolation         every operation in 13 states of credentials; every id of a company asked for by a stranger: as if nobody had it, and
 *                     nothing of the company changes
 *   forged-tokens     72 forged, expired and odd tokens at every operation that wants one: 401, each time
 *   slow-connections  500 callers who stop in their head or body: others' p99 is at most twice what it was, and none fails
 *   bad-input         20,000 random requests, 700 texts that are hardly JSON at each operation that reads some, 97 cases on raw sockets:
 *                     no 5xx, every refusal is a documented problem, every answer fits its schema, the service grows by 64 MiB at most
 *   overload          five times what it can issue: at least 80 % of its peak, p99 of what it takes ≤ 1 s, the others are told when to come
 *                     again, health within 100 ms; then a company beyond its plan
 *
 * A request that was answered wrongly is told with its headers and body. The chance is seeded: the same service gets the same requests, ids
 * aside. Everything happens in a temporary folder with a database server of its own, which is kept when a promise was broken.
 */
import { parseArgs } from "node:util";
import { badInputScenario } from "./scenarios/api/bad-input";
import { shareEnvironment } from "./scenarios/api/environment";
import { forgedTokensScenario } from "./scenarios/api/forged-tokens";
import { isolationScenario } from "./scenarios/api/isolation";
import { OVERLOAD_SETTINGS, overloadScenario } from "./scenarios/api/overload";
import { slowConnectionsScenario } from "./scenarios/api/slow-connections";
import { checkNames, runScenarios, type Scenario } from "./scenarios/run-scenarios";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});
const ordinary = shareEnvironment();
const scenarios: Readonly<Record<string, Scenario>> = {
	isolation: ordinary(isolationScenario),
	"forged-tokens": ordinary(forgedTokensScenario),
	"slow-connections": ordinary(slowConnectionsScenario),
	"bad-input": ordinary(badInputScenario),
	overload: shareEnvironment(OVERLOAD_SETTINGS)(overloadScenario),
};
const chosen = options.only?.split(",") ?? Object.keys(scenarios);
checkNames(chosen, scenarios);
/** Small scenarios judge no times, so the one with a service of its own goes beside the others. */
const beside = ["overload"];
const lanes = options.smoke
	? [chosen.filter((name) => !beside.includes(name)), chosen.filter((name) => beside.includes(name))]
	: [chosen];
process.exit(await runScenarios("api-scenarios", scenarios, { lanes, small: options.smoke }));
