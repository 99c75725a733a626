/**
 * Checks what the archive promises against running services, with real files and a real database. Each scenario prints its counts as one
 * JSON line. The exit code is 1 if a promise was broken.
 *
 *     bun scripts/archive-scenarios.ts                    all scenarios
 *     bun scripts/archive-scenarios.ts --only NAME,NAME   some scenarios
 *     bun scripts/archive-scenarios.ts --smoke            all scenarios, small
 *
 *   evidence   evidence fetched over HTTP passes the offline verifier; changed evidence is refused
 *   restore    an empty database gets its index back from the archive's files alone, with the same leaves and root
 *   attempts   overwriting, shortening, deleting and shortening retention through the API, admin commands, the driver, and SQL as the
 *              service and as the owner: 0 succeed; the whole archive is compared after each attempt
 *   clock-back every thread's clock goes back 300 days and everything is archived again: nothing changes, no retention gets shorter
 *   history    20 consistently rewritten histories: none matches the signed checkpoints
 *   damage     10,000 objects damaged behind the service's back: 1,000 bits flipped, 100 removed, 100 swapped, 100 truncated; verify names
 *              exactly these, and also strange objects and changes in the index
 *   kills      SIGKILL at each point of archiving, 20 times: no partial object, no row without an object, all archived afterwards
 *   full-disk  the disk is full 20 times: nothing is reported wrongly or lost, and work continues without a restart (root only)
 *   s3         the archive in a real S3 with Object Lock, attacked with the service's own credentials: 0 succeed (not with --smoke)
 *
 * All data lives in a temporary folder with its own database server, which is kept if a promise was broken.
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
	// These leave the service stopped, and it takes time to start again.
	"clock-back": ordinary(clockBackScenario),
	history: ordinary(historyScenario),
	damage: damageScenario,
	kills: shareEnvironment(KILLED_SETTINGS)(killsScenario),
	"full-disk": fullDiskScenario,
	s3: s3Scenario,
};
const chosen = options.only?.split(",") ?? Object.keys(scenarios);
checkNames(chosen, scenarios);
/** Small scenarios mostly wait, so those with their own service run beside the others. */
const beside = ["damage", "kills", "full-disk", "s3"];
const lanes = options.smoke
	? [chosen.filter((name) => !beside.includes(name)), chosen.filter((name) => beside.includes(name))]
	: [chosen];
process.exit(await runScenarios("archive-scenarios", scenarios, { lanes, small: options.smoke }));
