/**
 * Checks what the API promises against running services. Each scenario derives its requests from the service's own OpenAPI document, so
 * every new operation is covered. A scenario prints its counts as one JSON line. The exit code is 1 if a promise was broken.
 *
 *     bun scripts/api-scenarios.ts                    all scenarios
 *     bun scripts/api-scenarios.ts --only NAME,NAME   some scenarios
 *     bun scripts/api-scenarios.ts --smoke            all scenarios, small; times are reported but not checked
 *
 *   isolation         every operation in 13 states of credentials; a foreign company's ids are answered like unknown ids and nothing of
 *                     that company changes
 *   forged-tokens     72 forged, expired and odd tokens at every operation that requires one: always 401
 *   slow-connections  500 callers stall in the head or body: the p99 of others at most doubles, and none of them fails
 *   bad-input         rounds of 20,000 random requests, 700 malformed JSON texts for each operation with a body, 97 cases on raw sockets:
 *                     no 5xx, every refusal is a documented problem, every answer fits its schema, and memory does not grow in each round
 *   overload          five times the capacity: at least 80 % of peak throughput, p99 of accepted requests ≤ 1 s, the rest get Retry-After,
 *                     health answers within 100 ms; then a company exceeds its plan
 *   hostile           200 requests of each kind that costs its sender little: another company's median stays below 50 ms, no answer is a 5xx
 *                     other than 503, memory stays below 1 GiB
 *
 * A violation is printed with the request's headers and body. Randomness is seeded: the same service gets the same requests, except for
 * ids.
 * All data lives in a temporary folder with its own database server, which is kept if a promise was broken.
 */
import { parseArgs } from "node:util";
import { badInputScenario } from "./scenarios/api/bad-input";
import { shareEnvironment } from "./scenarios/api/environment";
import { forgedTokensScenario } from "./scenarios/api/forged-tokens";
import { hostileScenario } from "./scenarios/api/hostile";
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
	hostile: shareEnvironment()(hostileScenario),
	overload: shareEnvironment(OVERLOAD_SETTINGS)(overloadScenario),
};
const chosen = options.only?.split(",") ?? Object.keys(scenarios);
checkNames(chosen, scenarios);
/** Small scenarios check no times, so those with their own service run beside the others. */
const beside = ["overload", "hostile"];
const lanes = options.smoke
	? [chosen.filter((name) => !beside.includes(name)), chosen.filter((name) => beside.includes(name))]
	: [chosen];
process.exit(await runScenarios("api-scenarios", scenarios, { lanes, small: options.smoke }));
