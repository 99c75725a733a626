/**
 * Checks what webhooks promise against running services. Receivers in other processes verify every request as it arrives. Each scenario
 * prints its counts as one JSON line. The exit code is 1 if a promise was broken.
 *
 *     bun scripts/webhook-scenarios.ts                    all scenarios except real-time
 *     bun scripts/webhook-scenarios.ts --only NAME,NAME   some scenarios
 *     bun scripts/webhook-scenarios.ts --smoke            all scenarios, small; delays have loose limits
 *
 *   ssrf               80 forms of addresses at two moments, 20 rebindings, 5 mixed answers, 20 redirects: 0 connections to the canaries
 *   hostile-receivers  10 kinds × 10: each attempt ends within 16 s, memory grows by 16 MiB at most
 *   promises           2,000 events, 30 % of requests fail: each is delivered or a dead letter, every signature verifies, others wait ≤ 2 s
 *   schedule           50 failing events at a fiftieth of the time: gaps follow the schedule, the dead letter has the last error
 *   rotation           500 events during rotation and promotion of a secret: each verifies, with two signatures in between
 *   redispatch         the operator dispatches 50 dead letters again: same ids, each delivered once
 *   tarpit             500 events to a receiver that takes ten seconds: p99 delay of four others ≤ 2 s
 *   killed-after-200   50 kills between the receiver's answer and its record: repeats have the same id, nothing is lost
 *   gone               410, 5 times: the webhook is disabled, the company notified, deliveries parked and later recovered
 *   real-time          one event through the whole schedule, about six minutes
 *
 * All data lives in a temporary folder with its own database server, which is kept if a promise was broken.
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
	// Its last requests are still open when it ends.
	tarpit: patient(tarpitScenario),
	ssrf: ssrfScenario,
	"hostile-receivers": hostileReceiversScenario,
	"killed-after-200": shareEnvironment(KILLED_SETTINGS)(killedAfter200Scenario),
	"real-time": shareEnvironment(REAL_TIME_SETTINGS)(realTimeScenario),
};
/** Runs in real time, so it must be requested by name. */
const ONLY_BY_NAME = "real-time";

const chosen = options.only?.split(",") ?? Object.keys(scenarios).filter((name) => name !== ONLY_BY_NAME);
checkNames(chosen, scenarios);
/** Small scenarios mostly wait, so they run side by side; at full size each has the machine to itself. */
const sharing = [
	["redispatch", "rotation", "gone", "tarpit"],
	["promises", "schedule"],
];
const alone = chosen.filter((name) => !sharing.flat().includes(name)).map((name) => [name]);
const lanes = options.smoke
	? [...sharing.map((names) => chosen.filter((name) => names.includes(name))), ...alone]
	: [chosen];
process.exit(await runScenarios("webhook-scenarios", scenarios, { lanes, small: options.smoke }));
