/**
 * What the archive promises, tried on services that run, with real files and a real database. Each drill prints its counts as one JSON line;
 * the exit code is 1 when a promise was broken.
 *
 *     bun scripts/archive-drills.ts                    all of them
 *     bun scripts/archive-drills.ts --only NAME,NAME   some of them
 *     bun scripts/archive-drills.ts --smoke            all of them, small
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
import { drillAttempts } from "./drills/archive/attempts";
import { drillClockBack } from "./drills/archive/clock-back";
import { drillDamage } from "./drills/archive/damage";
import { drillEvidence } from "./drills/archive/evidence";
import { drillFullDisk } from "./drills/archive/full-disk";
import { drillHistory } from "./drills/archive/history";
import { drillKills, KILLED_SETTINGS } from "./drills/archive/kills";
import { drillRestore } from "./drills/archive/restore";
import { drillS3 } from "./drills/archive/s3";
import { shareStage } from "./drills/archive/stage";
import { checkNames, type Drill, runDrills } from "./drills/theatre";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});
const ordinary = shareStage();
const drills: Readonly<Record<string, Drill>> = {
	evidence: ordinary(drillEvidence),
	restore: ordinary(drillRestore),
	attempts: ordinary(drillAttempts),
	// These leave the service stopped, which takes its time to start again.
	"clock-back": ordinary(drillClockBack),
	history: ordinary(drillHistory),
	damage: drillDamage,
	kills: shareStage(KILLED_SETTINGS)(drillKills),
	"full-disk": drillFullDisk,
	s3: drillS3,
};
const chosen = options.only?.split(",") ?? Object.keys(drills);
checkNames(chosen, drills);
/** Small drills wait more than they work, so those with a service of their own go beside the others. */
const beside = ["damage", "kills", "full-disk", "s3"];
const lanes = options.smoke
	? [chosen.filter((name) => !beside.includes(name)), chosen.filter((name) => beside.includes(name))]
	: [chosen];
process.exit(await runDrills("archive-drills", drills, { lanes, small: options.smoke }));
