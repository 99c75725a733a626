/**
 * Breaks a fleet on this machine: PostgreSQL under Patroni, HAProxy, PgBouncer and an S3 server as real programs of Debian's packages, and
 * counts what is lost, doubled or refused.
 *
 *     bun scripts/fleet-drills.ts                     all drills at full size
 *     bun scripts/fleet-drills.ts --smoke             some of them, small
 *     bun scripts/fleet-drills.ts --only NAME,NAME    some drills
 *
 * Each drill is one file in fleet/drills. One whose packages are missing is skipped with a sentence. Everything runs on loopback, in temporary
 * folders and without the rights of root where the program wants that, and is ended with the drill.
 */
import { parseArgs } from "node:util";
import { runDrill } from "./fleet/drill";
import { backupRestored } from "./fleet/drills/backup-restored";
import { differingSettings } from "./fleet/drills/differing-settings";
import { nodeKilled } from "./fleet/drills/node-killed";
import { pooled } from "./fleet/drills/pooled";
import { primaryKilled } from "./fleet/drills/primary-killed";
import { registryFromStore } from "./fleet/drills/registry-from-store";
import { replaced } from "./fleet/drills/replaced";
import { ringLost } from "./fleet/drills/ring-lost";
import { standbyStalled } from "./fleet/drills/standby-stalled";
import { listMissing } from "./fleet/programs";
import { printReport } from "./harness/report";

const { values: options } = parseArgs({
	options: { smoke: { type: "boolean", default: false }, only: { type: "string" } },
});

const drills = [
	primaryKilled,
	standbyStalled,
	ringLost,
	nodeKilled,
	differingSettings,
	replaced,
	pooled,
	backupRestored,
	registryFromStore,
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
for (const drill of drills.filter(({ name, isInSmoke }) => wanted?.includes(name) ?? (isInSmoke || !options.smoke))) {
	console.log(`\n== ${drill.name}: ${drill.shows}`);
	const missing = listMissing(drill.packages);
	if (missing.length > 0) {
		console.log(`skipped: it needs Debian's ${missing.join(", ")}`);
		continue;
	}
	const startedAt = performance.now();
	const report = await runDrill(drill, options.smoke);
	const seconds = Math.round((performance.now() - startedAt) / 1_000);
	exitCode = Math.max(exitCode, printReport({ ...report, counts: { ...report.counts, "seconds in all": seconds } }));
}
process.exit(exitCode);
