/**
 * Checks everything that must hold before a change lands: format and lint, types, supply chain, changelog, compatibility with the released
 * interface, tests. A failed step does not stop the next one. The last line is `N passed, N failed, N skipped`: the counts of the tests,
 * plus one failure for each other step that failed.
 *
 *     bun run check                                   all steps
 *     bun scripts/check.ts --only supply-chain        one step: format, types, supply-chain, changelog, openapi or tests
 *     bun scripts/check.ts --processes 1              the number of test processes; default one more than there are cores, at most 4
 *     bun scripts/check.ts --sbom FILE                writes the bill of materials to FILE instead of .data/sbom.json
 */
import { join, resolve } from "node:path";
import { PROGRAMS, takeOrder } from "../src/cli";
import { type Counts, closingLine, sumCounts } from "./check/closing-line";
import { countProcesses, runTests } from "./check/run-tests";
import { runBun, runTool } from "./check/run-tool";
import { checkSupplyChain } from "./check/supply-chain";

type Step = { readonly name: string; readonly title: string; readonly run: () => Promise<Counts> };

const root = join(import.meta.dir, "..");
const { args } = takeOrder(PROGRAMS.check);
const [only, sbom] = [args.text("only"), args.text("sbom")];
const processes = Number(args.text("processes") ?? countProcesses());
if (!(Number.isInteger(processes) && processes > 0)) {
	console.error(`expected --processes to be a number from 1, got ${args.text("processes")}`);
	process.exit(2);
}

const steps: readonly Step[] = [
	{
		name: "format",
		title: "Format and lint",
		run: async () =>
			countExit(await runTool(root, "biome", ["check", "--error-on-warnings", "--max-diagnostics=none"])),
	},
	{ name: "types", title: "Types", run: checkTypes },
	{ name: "supply-chain", title: "Supply chain", run: async () => runSupplyChain() },
	{ name: "changelog", title: "Changelog", run: () => runScript("scripts/changelog.ts", "--check") },
	{ name: "openapi", title: "Interface against the last release", run: () => runScript("scripts/compare-openapi.ts") },
	{ name: "tests", title: "Tests", run: () => runTests(root, processes) },
];

const chosen = steps.filter((step) => only === undefined || step.name === only);

let total: Counts = { passed: 0, failed: 0, skipped: 0 };
for (const step of chosen) {
	console.log(`\n== ${step.title}`);
	const startedAt = performance.now();
	const counts = await step.run().catch(reportDefect);
	const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
	console.log(`== ${step.title}: ${counts.failed === 0 ? "ok" : "FAILED"} in ${seconds} s`);
	total = sumCounts([total, counts]);
}
console.log(`\n${closingLine(total)}`);
process.exitCode = total.failed === 0 ? 0 : 1;

function runSupplyChain(): Counts {
	const { faults, notes } = checkSupplyChain(root, resolve(sbom ?? join(root, ".data/sbom.json")));
	for (const note of notes) console.log(note);
	for (const fault of faults) console.log(`fault: ${fault}`);
	return countExit(faults.length);
}

/** What runs in a browser has types of its own. */
async function checkTypes(): Promise<Counts> {
	const codes = [
		await runTool(root, "tsc", ["--noEmit"]),
		await runTool(root, "tsc", ["--noEmit", "-p", "src/console/web"]),
	];
	return countExit(codes.filter((code) => code !== 0).length);
}

async function runScript(...words: string[]): Promise<Counts> {
	return countExit((await runBun(root, words)).exitCode);
}

/** A step that throws counts as failed, and the next one still runs. */
function reportDefect(error: unknown): Counts {
	console.log(error);
	return countExit(1);
}

function countExit(code: number): Counts {
	return { passed: 0, failed: code === 0 ? 0 : 1, skipped: 0 };
}
