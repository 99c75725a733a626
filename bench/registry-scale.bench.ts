/** What becomes of look-up, search and build when there are ten times the entries? The peer is the same with a tenth. */
import { join } from "node:path";
import { generateRegistry } from "../scripts/generate-registry";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeFolder } from "./child";
import { measureSide } from "./registry-side";

export const question = "How do look-up, search and build grow from 760,000 entries to 7,600,000?";
export const peer = "the same with a tenth of the entries";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const folder = makeFolder(stack);
	const few = smoke ? 2_000 : 760_000;
	const sizes = [
		{ name: "few", source: join(folder, "few.zip"), snapshot: join(folder, "few.snapshot"), records: few },
		{ name: "many", source: join(folder, "many.zip"), snapshot: join(folder, "many.snapshot"), records: few * 10 },
	] as const;
	for (const { source, records } of sizes) generateRegistry({ records, seed: 1, out: source });
	const lookup = newRounds("few", "many");
	const search = newRounds("few", "many");
	const build = newRounds("few", "many");
	for (let round = 0; round < (smoke ? 1 : 3); round++) {
		for (const { name, source, snapshot } of sizes) {
			build[name].push((await measureSide("build-ours", source, snapshot)).ms / 1_000);
			lookup[name].push((await measureSide("lookup-ours", snapshot, smoke ? 20_000 : 500_000)).p99Micros);
			search[name].push((await measureSide("search-ours", snapshot, smoke ? 200 : 2_000)).p99Micros);
		}
	}
	const against = (rounds: readonly number[]) => ({ peer: "a tenth", rounds: rounds });
	return [
		toFigure("look-up, 99th percentile of hundreds", "µs", lookup.many, {
			against: against(lookup.few),
			target: "≤ 1.2",
		}),
		toFigure("search, 99th percentile", "µs", search.many, { against: against(search.few), target: "≤ 2" }),
		toFigure("source to verified snapshot", "s", build.many, { against: against(build.few), target: "≤ 11" }),
	];
}
