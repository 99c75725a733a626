/**
 * What webhooks promise, tried on services that run, with receivers in other processes that verify every request when it comes. Each drill
 * prints its counts as one JSON line; the exit code is 1 when a promise was broken.
 *
 *     bun scripts/webhook-drills.ts                    all of them but real-time
 *     bun scripts/webhook-drills.ts --only NAME,NAME   some of them
 *     bun scripts/webhook-drills.ts --smoke            all of them, small; delays are judged loosely
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
import { checkNames, type Drill, runDrills } from "./drills/theatre";
import { drillGone } from "./drills/webhooks/gone";
import { drillHostileReceivers } from "./drills/webhooks/hostile-receivers";
import { drillKilledAfter200, KILLED_SETTINGS } from "./drills/webhooks/killed-after-200";
import { drillPromises } from "./drills/webhooks/promises";
import { drillRedispatch, PATIENT_SETTINGS } from "./drills/webhooks/redispatch";
import { drillRotation } from "./drills/webhooks/rotation";
import { drillRealTime, drillSchedule, REAL_TIME_SETTINGS } from "./drills/webhooks/schedule";
import { drillSsrf } from "./drills/webhooks/ssrf";
import { shareStage } from "./drills/webhooks/stage";
import { drillTarpit } from "./drills/webhooks/tarpit";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});

const ordinary = shareStage();
const patient = shareStage(PATIENT_SETTINGS);
const drills: Readonly<Record<string, Drill>> = {
	promises: ordinary(drillPromises),
	redispatch: patient(drillRedispatch),
	rotation: patient(drillRotation),
	gone: patient(drillGone),
	schedule: ordinary(drillSchedule),
	// Its last requests hang on when it is over.
	tarpit: patient(drillTarpit),
	ssrf: drillSsrf,
	"hostile-receivers": drillHostileReceivers,
	"killed-after-200": shareStage(KILLED_SETTINGS)(drillKilledAfter200),
	"real-time": shareStage(REAL_TIME_SETTINGS)(drillRealTime),
};
/** Takes as long as it takes: only who names it gets it. */
const ONLY_BY_NAME = "real-time";

const chosen = options.only?.split(",") ?? Object.keys(drills).filter((name) => name !== ONLY_BY_NAME);
checkNames(chosen, drills);
/** Small drills wait more than they work, so they do it side by side; at full size each has the machine for itself. */
const sharing = [
	["redispatch", "rotation", "gone", "tarpit"],
	["promises", "schedule"],
];
const alone = chosen.filter((name) => !sharing.flat().includes(name)).map((name) => [name]);
const lanes = options.smoke
	? [...sharing.map((names) => chosen.filter((name) => names.includes(name))), ...alone]
	: [chosen];
process.exit(await runDrills("webhook-drills", drills, { lanes, small: options.smoke }));
