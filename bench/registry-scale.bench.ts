/** How do look-up, search and build scale with ten times the entries? The peer is the same with a tenth. */
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeSource, repeatRounds } from "./registry-data";
import { measureSide } from "./registry-side";

export const question = "How do look-up, search and build grow from 760,000 entries to 7,600,000?";
export const peer = "the same with a tenth of the entries";

/** A build of the larger one takes most of a minute. */
const BUILDS = 3;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const sides = [
		{ name: "few", ...makeSource(stack, { smoke }) },
		{ name: "many", ...makeSource(stack, { smoke, times: 10 }) },
	] as const;
	const lookup = newRounds("few", "many");
	const search = newRounds("few", "many");
	const build = newRounds("few", "many");
	for (let round = 0; round < (smoke ? 1 : BUILDS); round++) {
		for (const { name, source, snapshot } of sides) {
			build[name].push((await measureSide("build-ours", source, snapshot)).ms / 1_000);
		}
	}
	await repeatRounds(smoke, async () => {
		for (const { name, snapshot } of sides) {
			lookup[name].push((await measureSide("lookup-ours", snapshot, smoke ? 20_000 : 500_000)).p99Micros);
			search[name].push((await measureSide("search-ours", snapshot, smoke ? 200 : 2_000)).p99Micros);
		}
	});
	const against = (rounds: readonly number[]) => ({ peer: "a tenth", rounds });
	return [
		toFigure("look-up, 99th percentile of hundreds", "µs", lookup.many, {
			against: against(lookup.few),
			target: "≤ 1.2",
		}),
		toFigure("search, 99th percentile", "µs", search.many, { against: against(search.few), target: "≤ 2" }),
		toFigure("source to verified snapshot", "s", build.many, { against: against(build.few), target: "≤ 11" }),
	];
}
