/**
 * What the registry promises, tried on services that run. Each drill prints its counts as one JSON line; the exit code is 1 when a promise
 * was broken.
 *
 *     bun scripts/registry-drills.ts                  all of them
 *     bun scripts/registry-drills.ts kills swaps      some of them
 *     options: --records N (760,000), --smoke (small sizes, proves that they run)
 *
 *   corrupt    49 kinds of corrupt source while look-ups go on: none is swapped in, each tells its reason, nothing is left behind
 *   kills      SIGKILL at 11 points of an ingest, 5 times each: the next start serves the last good run at once
 *   together   20 times a timer and two commands ingest at once: one makes the run
 *   swaps      1,000,000 look-ups across 20 swaps: no error, no answer that mixes two runs
 *   purges     1,000 erasures, 5 ingests, a rollback, a restart: none comes back, in no answer, file, table or log; 10 reversals do
 *   processes  two processes share one snapshot; a swap and an erasure reach both
 *
 * Everything happens in a temporary folder with a database server of its own, which is kept when a promise was broken.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { connect, startEmbeddedPostgres } from "../src/database";
import { drillCorrupt } from "./drills/corrupt";
import { drillKills } from "./drills/kills";
import { drillProcesses } from "./drills/processes";
import { drillPurges } from "./drills/purges";
import type { Theatre } from "./drills/stage";
import { drillSwaps } from "./drills/swaps";
import { drillTogether } from "./drills/together";

const { values: options, positionals: chosen } = parseArgs({
	options: { records: { type: "string", default: "760000" }, smoke: { type: "boolean", default: false } },
	allowPositionals: true,
});
const records = Number(options.records);

const drills: Readonly<Record<string, (theatre: Theatre, records: number) => Promise<object>>> = {
	corrupt: drillCorrupt,
	kills: drillKills,
	together: drillTogether,
	swaps: drillSwaps,
	purges: drillPurges,
	processes: drillProcesses,
};
const unknown = chosen.filter((name) => !(name in drills));
if (unknown.length > 0) {
	console.error(`unknown: ${unknown.join(", ")}; known: ${Object.keys(drills).join(", ")}`);
	process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), "sello-registry-drills-"));
const postgres = await startEmbeddedPostgres(folder);
const admin = connect({ url: postgres.url, name: "drills", connectionsMax: 1 });
let databases = 0;
let broken = 0;
const theatre: Theatre = {
	folder,
	small: options.smoke,
	createDatabase: async () => {
		const name = `drill_${databases++}`;
		await admin.unsafe(`create database ${name}`);
		return postgres.url.replace(/\/postgres$/, `/${name}`);
	},
	violate: (sentence) => {
		broken++;
		console.error(`VIOLATION  ${sentence}`);
	},
};

for (const [name, drill] of Object.entries(drills)) {
	if (chosen.length > 0 && !chosen.includes(name)) continue;
	const startedAt = performance.now();
	const before = broken;
	try {
		const counts = await drill(theatre, records);
		const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
		console.log(JSON.stringify({ drill: name, ok: broken === before, ...counts, seconds }));
	} catch (error) {
		theatre.violate(`${name} broke off: ${error instanceof Error ? error.stack : error}`);
	}
}
await admin.end();
await postgres.stop();
if (broken === 0) rmSync(folder, { recursive: true, force: true });
else console.error(`${broken} promises broken; logs and files: ${folder}`);
process.exit(broken === 0 ? 0 : 1);
