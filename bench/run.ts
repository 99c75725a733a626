/**
 * Runs the benchmarks. Each prints its table and appends one JSON line per figure to `results.jsonl` in this folder.
 *
 *     bun bench                 all of them
 *     bun bench sign issue      some of them
 *     bun bench --smoke         a short run that only proves that they work; its figures mean nothing
 *     bun bench end-to-end --against REF      the service of another commit, or of another folder, in the same rounds
 *
 * Exit codes: 1 if a bench threw, 2 for an unknown name or one that cannot measure another build. No figure fails a run: see README.md.
 */
import { appendFileSync, readdirSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { PROGRAMS, takeOrder } from "../src/cli";
import type { Bench, Figure } from "./bench";
import { endChildren } from "./child";
import { type OtherWork, watchOtherWork } from "./other-work";

const ENDING = ".bench.ts";
const RESULTS = join(import.meta.dir, "results.jsonl");

const { args } = takeOrder(PROGRAMS.bench);
const options = { smoke: args.has("smoke"), against: args.text("against") };
const chosen = args.operands;
const names = readdirSync(import.meta.dir)
	.filter((file) => file.endsWith(ENDING))
	.map((file) => file.slice(0, -ENDING.length))
	.sort();
const unknown = chosen.filter((name) => !names.includes(name));
if (unknown.length > 0) {
	console.error(`no bench is called ${unknown.join(", ")}; there are: ${names.join(", ")}`);
	process.exit(2);
}

for (const signal of ["SIGINT", "SIGTERM"] as const) {
	process.once(signal, async () => {
		await endChildren();
		process.exit(130);
	});
}

const commit = findCommit();
for (const name of chosen.length > 0 ? names.filter((one) => chosen.includes(one)) : names) {
	if (!(await runBench(name))) process.exitCode = 1;
}
// Remains of a failed bench must not keep the command from exiting.
await endChildren();
process.exit();

/** Returns false if the bench threw. */
async function runBench(name: string): Promise<boolean> {
	const bench = (await import(join(import.meta.dir, name + ENDING))) as Bench;
	if (options.against !== undefined && !bench.comparesBuilds) {
		console.error(`${name} cannot be run with --against`);
		process.exit(2);
	}
	const peer = options.against === undefined ? bench.peer : `the build of ${options.against}`;
	console.log(`\n${name}: ${bench.question}\nagainst ${peer}; ${availableParallelism()} cores`);
	if (options.smoke) console.log("a smoke run: the figures mean nothing");
	const startedAt = performance.now();
	const otherWork = watchOtherWork();
	try {
		const figures = await bench.run(options);
		printTable(figures);
		const circumstances = { ...otherWork(), smoke: options.smoke, at: new Date().toISOString(), ...commit };
		for (const figure of figures) {
			appendFileSync(RESULTS, `${JSON.stringify({ bench: name, ...figure, ...circumstances })}\n`);
		}
		return true;
	} catch (error) {
		console.error(error);
		return false;
	} finally {
		console.log(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s${toSentence(otherWork())}`);
	}
}

function printTable(figures: readonly Figure[]): void {
	const head = ["figure", "median", "min – max", "unit", "ratio", "min – max", "to", "target"];
	const rows = figures.map(({ figure, value, min, max, unit, ratio, ratioMin, ratioMax, peer = "", target = "" }) => {
		const hasRatio = ratio !== undefined && ratioMin !== undefined && ratioMax !== undefined;
		const ratioCells = hasRatio ? [print(ratio), `${print(ratioMin)} – ${print(ratioMax)}`] : ["", ""];
		return [figure, print(value), `${print(min)} – ${print(max)}`, unit, ...ratioCells, peer, target];
	});
	const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => (row[i] ?? "").length)));
	for (const row of [head, widths.map((width) => "-".repeat(width)), ...rows]) {
		console.log(`  ${row.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ")}`.trimEnd());
	}
}

function toSentence({ loadBefore, stolen }: OtherWork): string {
	const taken = stolen === undefined ? "" : `; the host gave ${(stolen * 100).toFixed(1)} % of the cores to others`;
	return `; load average before it ${loadBefore.toFixed(1)}${taken}`;
}

/** Three significant digits, no fraction from 100 on. */
function print(value: number): string {
	return Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));
}

/** The measured commit, with a `+` if files differ from it; undefined without git. */
function findCommit(): { commit: string } | undefined {
	if (Bun.which("git") === null) return undefined;
	const git = (...args: string[]) => Bun.spawnSync(["git", ...args], { cwd: import.meta.dir, stderr: "ignore" });
	const head = git("rev-parse", "--short", "HEAD");
	if (head.exitCode !== 0) return undefined;
	const isClean = git("status", "--porcelain").stdout.length === 0;
	return { commit: `${head.stdout.toString().trim()}${isClean ? "" : "+"}` };
}
