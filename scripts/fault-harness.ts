/**
 * Breaks the service's dependencies under load, one after another, and counts the effects.
 *
 *     bun scripts/fault-harness.ts                     all scenarios at full size
 *     bun scripts/fault-harness.ts --smoke             all scenarios, small
 *     bun scripts/fault-harness.ts --only NAME,NAME    some scenarios
 *     option: --share N, a fraction of the full size, such as 0.1
 *
 * Each scenario is one file in harness/scenarios that says what it breaks and what must hold. It has its own environment
 * (harness/environment.ts): a service, a PostgreSQL and an authority as real programs, with a proxy in front of each dependency.
 */
import { parseArgs } from "node:util";
import type { Scenario } from "./harness/environment";
import { printReport } from "./harness/report";
import { authorityDown } from "./harness/scenarios/authority-down";
import { authorityFaults } from "./harness/scenarios/authority-faults";
import { authorityStatus } from "./harness/scenarios/authority-status";
import { clockLeaps } from "./harness/scenarios/clock-leaps";
import { deafListener } from "./harness/scenarios/deaf-listener";
import { decimals } from "./harness/scenarios/decimals";
import { fairness } from "./harness/scenarios/fairness";
import { lostCommit } from "./harness/scenarios/lost-commit";
import { pausedHolder } from "./harness/scenarios/paused-holder";
import { postgresAway } from "./harness/scenarios/postgres-away";
import { postgresRestarts } from "./harness/scenarios/postgres-restarts";
import { unknownOutcome } from "./harness/scenarios/unknown-outcome";

const { values: options } = parseArgs({
	options: {
		smoke: { type: "boolean", default: false },
		only: { type: "string" },
		share: { type: "string", default: "1" },
	},
});

const scenarios: readonly Scenario[] = [
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
const unknown = wanted?.filter((name) => !scenarios.some((scenario) => scenario.name === name)) ?? [];
if (unknown.length > 0) {
	console.error(
		`expected --only to name some of ${scenarios.map(({ name }) => name).join(", ")}, got ${unknown.join(", ")}`,
	);
	process.exit(2);
}

let exitCode = 0;
for (const scenario of scenarios.filter(({ name }) => wanted?.includes(name) ?? true)) {
	const startedAt = performance.now();
	console.log(`\n== ${scenario.name}: ${scenario.shows}`);
	try {
		const { counts, violations, folder } = await scenario.run(options.smoke ? "smoke" : Number(options.share));
		const seconds = Math.round((performance.now() - startedAt) / 1000);
		const report = { name: scenario.name, folder, violations, counts: { ...counts, "seconds in all": seconds } };
		exitCode = Math.max(exitCode, printReport(report));
	} catch (error) {
		// A scenario that throws has failed; the next one still runs.
		console.log(error);
		exitCode = 1;
	}
}
process.exit(exitCode);
