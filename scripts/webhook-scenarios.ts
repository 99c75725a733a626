/**
 * What webhooks promise, tried on services that run, with receivers in other processes that verify every request when it comes. Each scenario
 * prints its counts as one JSON line; the exit code is 1 when a promise was broken.
 *
 *     bun scripts/webhook-scenarios.ts                    all of them but real-time
 *     bun scripts/webhook-scenarios.ts --only NAME,NAME   some of them
 *     bun scripts/webhook-scenarios.ts --smoke            all of them, small; delays are judged loosely
 *
 *   ssrf               80 forms of addresses at two moments, 20 rebindings, 5 mixed answers, 20 redirects: 0 connections at the canaries
 *   hostile-receivers  10 kinds × 10: each attempt ends within 16 s, the service grows by 16 MiB at most
 *   promises           2,000 events, 30 % of the requests fail: each arrives or is a dead letter, every signature verifies, others wait ≤ 2 s
 *   schedule           50 events that fail, at a fiftieth of the time: the gaps are the schedule's, the dead letter tells the last error
 *   rotation           500 events while a secret is rotated and promoted: each verifies, with two signatures in between
 *   redispatch         50 dead letters dispatched again by the operator: the same ids, each once
 *   tarpit             500 events to a receiver that takes ten seconds: four others' p99 delay ≤ 2 s
 *   killed-after-200   50 kills between a receiver's answer and its record: what comes again has the same id, nothing is lost
 *   gone               410, 5 times: disabled, told, parked, recovered
 *   real-time          one event through the whole schedule, about six minutes
 *
 * Everything happens in a temporary folder with a database server of its own, which is kept when a promise was broken.
 */
import { parseArgs } from "node:util";
import { checkNames, runScenarios, type Scenario } from "./scenarios/run-scenarios";
import { shareEnvironment } from "./scenarios/webhooks/environment";
import { goneScenario } from "./scenarios/webhooks/gone";
import { hostileReceiversScenario } from "./scenarios/webhooks/hostile-receivers";
import { KILLED_SETTINGS, killedAfter200Scenario } from "./scenarios/webhooks/killed-after-200";
import { promisesScenario } from "./scenarios/webhooks/promises";
import { PATIENT_SETTINGS, redispatchScenario } from "./scenarios/webhooks/redispatch";
import { rotationScenario } from "./scenarios/webhooks/rotation";
import { REAL_TIME_SETTINGS, realTimeScenario, scheduleScenario } from "./scenarios/webhooks/schedule";
import { ssrfScenario } from "./scenarios/webhooks/ssrf";
import { tarpitScenario } from "./scenarios/webhooks/tarpit";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});

const ordinary = shareEnvironment();
const patient = shareEnvironment(PATIENT_SETTINGS);
const scenarios: Readonly<Record<string, Scenario>> = {
	promises: ordinary(promisesScenario),
	redispatch: patient(redispatchScenario),
	rotation: patient(rotationScenario),
	gone: patient(goneScenario),
	schedule: ordinary(scheduleScenario),
	// Its last requests hang on when it is over.
	tarpit: patient(tarpitScenario),
	ssrf: ssrfScenario,
	"hostile-receivers": hostileReceiversScenario,
	"killed-after-200": shareEnvironment(KILLED_SETTINGS)(killedAfter200Scenario),
	"real-time": shareEnvironment(REAL_TIME_SETTINGS)(realTimeScenario),
};
/** Takes as long as it takes: only who names it gets it. */
const ONLY_BY_NAME = "real-time";

const chosen = options.only?.split(",") ?? Object.keys(scenarios).filter((name) => name !== ONLY_BY_NAME);
checkNames(chosen, scenarios);
/** Small scenarios wait more than they work, so they do it side by side; at full size each has the machine for itself. */
const sharing = [
	["redispatch", "rotation", "gone", "tarpit"],
	["promises", "schedule"],
];
const alone = chosen.filter((name) => !sharing.flat().includes(name)).map((name) => [name]);
const lanes = options.smoke
	? [...sharing.map((names) => chosen.filter((name) => names.includes(name))), ...alone]
	: [chosen];
process.exit(await runScenarios("webhook-scenarios", scenarios, { lanes, small: options.smoke }));
