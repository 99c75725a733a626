/**
 * Breaks what the service stands on, one thing after another, under load, and counts what came of it.
 *
 *     bun scripts/fault-harness.ts                     all drills at full size
 *     bun scripts/fault-harness.ts --smoke             all drills, small
 *     bun scripts/fault-harness.ts --only NAME,NAME    some drills
 *     option: --share N, a part of the full size, such as 0.1
 *
 * Each drill is one file in harness/drills, which tells what it breaks and what must hold. It has a stage of its own
 * (harness/stage.ts): a service, a PostgreSQL and an authority as real programs, with a proxy on each road.
 */
import { parseArgs } from "node:util";
import { authorityDown } from "./harness/drills/authority-down";
import { authorityFaults } from "./harness/drills/authority-faults";
import { authorityStatus } from "./harness/drills/authority-status";
import { clockLeaps } from "./harness/drills/clock-leaps";
import { deafListener } from "./harness/drills/deaf-listener";
import { decimals } from "./harness/drills/decimals";
import { fairness } from "./harness/drills/fairness";
import { lostCommit } from "./harness/drills/lost-commit";
import { pausedHolder } from "./harness/drills/paused-holder";
import { postgresAway } from "./harness/drills/postgres-away";
import { postgresRestarts } from "./harness/drills/postgres-restarts";
import { unknownOutcome } from "./harness/drills/unknown-outcome";
import { printReport } from "./harness/report";
import type { Drill } from "./harness/stage";

const { values: options } = parseArgs({
	options: {
		smoke: { type: "boolean", default: false },
		only: { type: "string" },
		share: { type: "string", default: "1" },
	},
});

const drills: readonly Drill[] = [
	unknownOutcome,
	authorityFaults,
	authorityDown,
	authorityStatus,
	postgresRestarts,
	lostCommit,
	deafListener,
	postgresAway,
	decimals,
	clockLeaps,
	pausedHolder,
	fairness,
];

const wanted = options.only?.split(",");
const unknown = wanted?.filter((name) => !drills.some((drill) => drill.name === name)) ?? [];
if (unknown.length > 0) {
	console.error(
		`expected --only to name some of ${drills.map(({ name }) => name).join(", ")}, got ${unknown.join(", ")}`,
	);
	process.exit(2);
}

let exitCode = 0;
for (const drill of drills.filter(({ name }) => wanted?.includes(name) ?? true)) {
	const startedAt = performance.now();
	console.log(`\n== ${drill.name}: ${drill.shows}`);
	try {
		const { counts, violations, folder } = await drill.run(options.smoke ? "smoke" : Number(options.share));
		const seconds = Math.round((performance.now() - startedAt) / 1000);
		const report = { name: drill.name, folder, violations, counts: { ...counts, "seconds in all": seconds } };
		exitCode = Math.max(exitCode, printReport(report));
	} catch (error) {
		// A drill that cannot be carried out has failed, and the next one still has its turn.
		console.log(error);
		exitCode = 1;
	}
}
process.exit(exitCode);
