/**
 * What the archive promises, tried on services that run, with real files and a real database. Each scenario prints its counts as one JSON line;
 * the exit code is 1 when a promise was broken.
 *
 *     bun scripts/archive-scenarios.ts                    all of them
 *     bun scripts/archive-scenarios.ts --only NAME,NAME   some of them
 *     bun scripts/archive-scenarios.ts --smoke            all of them, small
 *
 *   evidence   the evidence of documents over HTTP, judged by the verifier that needs no service; changed evidence is refused
 *   restore    a new, empty database gets its index back from the archive's files alone, with the same leaves and root
 *   attempts   to overwrite, shorten or delete, and to keep for less long, through the API, the operator's commands, the driver, and SQL as
 *              the service and as the owner: 0 succeed; the archive is compared wholly after each
 *   clock-back the clock of every thread 300 days back, and everything archived once more: nothing changes, nothing is kept for less long
 *   history    20 pasts that never were, with all that follows from them: none agrees with what was signed
 *   damage     behind the service's back, of 10,000 objects: 1,000 bits flipped, 100 removed, 100 swapped, 100 cut off: all named, no other;
 *              strange objects and changes in the index are named too
 *   kills      SIGKILL at each point on the way into the archive, 20 times: no half object, no row without one, all archived afterwards
 *   full-disk  20 times a disk that is full: nothing told that is not so, nothing lost, on again without a restart (root only)
 *   s3         the archive in a real S3 with Object Lock, attacked with the service's own credentials: 0 succeed (not in a small run)
 *
 * Everything happens in a temporary folder with a database server of its own, which is kept when a promise was broken.
 */
import { parseArgs } from "node:util";
import { attemptsScenario } from "./scenarios/archive/attempts";
import { clockBackScenario } from "./scenarios/archive/clock-back";
import { damageScenario } from "./scenarios/archive/damage";
import { shareEnvironment } from "./scenarios/archive/environment";
import { evidenceScenario } from "./scenarios/archive/evidence";
import { fullDiskScenario } from "./scenarios/archive/full-disk";
import { historyScenario } from "./scenarios/archive/history";
import { KILLED_SETTINGS, killsScenario } from "./scenarios/archive/kills";
import { restoreScenario } from "./scenarios/archive/restore";
import { s3Scenario } from "./scenarios/archive/s3";
import { checkNames, runScenarios, type Scenario } from "./scenarios/run-scenarios";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});
const ordinary = shareEnvironment();
const scenarios: Readonly<Record<string, Scenario>> = {
	evidence: ordinary(evidenceScenario),
	restore: ordinary(restoreScenario),
	attempts: ordinary(attemptsScenario),
	// These leave the service stopped, which takes its time to start again.
	"clock-back": ordinary(clockBackScenario),
	history: ordinary(historyScenario),
	damage: damageScenario,
	kills: shareEnvironment(KILLED_SETTINGS)(killsScenario),
	"full-disk": fullDiskScenario,
	s3: s3Scenario,
};
const chosen = options.only?.split(",") ?? Object.keys(scenarios);
checkNames(chosen, scenarios);
/** Small scenarios wait more than they work, so those with a service of their own go beside the others. */
const beside = ["damage", "kills", "full-disk", "s3"];
const lanes = options.smoke
	? [chosen.filter((name) => !beside.includes(name)), chosen.filter((name) => beside.includes(name))]
	: [chosen];
process.exit(await runScenarios("archive-scenarios", scenarios, { lanes, small: options.smoke }));
