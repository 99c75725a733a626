/**
 * What the archive promises, tried on services that run, with real files and a real database. Each drill prints its counts as one JSON line;
 * the exit code is 1 when a promise was broken.
 */
import { parseArgs } from "node:util";
import { drillAttempts } from "./drills/archive/attempts";
import { drillDamage } from "./drills/archive/damage";
import { drillFullDisk } from "./drills/archive/full-disk";
import { drillKills, KILLED_SETTINGS } from "./drills/archive/kills";
import { shareStage } from "./drills/archive/stage";
import { checkNames, type Drill, runDrills } from "./drills/theatre";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});
const ordinary = shareStage();
const drills: Readonly<Record<string, Drill>> = {
	attempts: ordinary(drillAttempts),
	damage: drillDamage,
	kills: shareStage(KILLED_SETTINGS)(drillKills),
	"full-disk": drillFullDisk,
};
const chosen = options.only?.split(",") ?? Object.keys(drills);
checkNames(chosen, drills);
process.exit(await runDrills("archive-drills", drills, { lanes: [chosen], small: options.smoke }));
