import { parseArgs } from "node:util";
import { drillBadInput } from "./drills/api/bad-input";
import { drillForgedTokens } from "./drills/api/forged-tokens";
import { drillIsolation } from "./drills/api/isolation";
import { drillOverload, OVERLOAD_SETTINGS } from "./drills/api/overload";
import { drillSlowConnections } from "./drills/api/slow-connections";
import { shareStage } from "./drills/api/stage";
import { checkNames, type Drill, runDrills } from "./drills/theatre";

const { values: options } = parseArgs({
	options: { only: { type: "string" }, smoke: { type: "boolean", default: false } },
});
const ordinary = shareStage();
const drills: Readonly<Record<string, Drill>> = {
	isolation: ordinary(drillIsolation),
	"forged-tokens": ordinary(drillForgedTokens),
	"slow-connections": ordinary(drillSlowConnections),
	"bad-input": ordinary(drillBadInput),
	overload: shareStage(OVERLOAD_SETTINGS)(drillOverload),
};
const chosen = options.only?.split(",") ?? Object.keys(drills);
checkNames(chosen, drills);
process.exit(await runDrills("api-drills", drills, { lanes: [chosen], small: options.smoke }));
