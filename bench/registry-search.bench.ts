/**
 * How long does a search in memory take, the slow ones above all? What searches on the event loop, everybody behind it waits for.
 *
 * Both sides get the same 2,000 texts for the field `name` and give at most 25 rows. FlexSearch's hits are other ones: it ranks in its own
 * way and knows no whole values. That ours are exact is shown by the tests, against a search that looks at every entry.
 */
import { join } from "node:path";
import { generateRegistry } from "../scripts/generate-registry";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeFolder } from "./child";
import { measureSide } from "./registry-side";

export const question = "How long does a search for words take among 760,000 entries?";
export const peer = "FlexSearch, index for prefixes of the same names";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const folder = makeFolder(stack);
	const source = join(folder, "registry.zip");
	const snapshot = join(folder, "bench.snapshot");
	generateRegistry({ records: smoke ? 5_000 : 760_000, seed: 1, out: source });
	await measureSide("build-ours", source, snapshot);
	const queries = smoke ? 200 : 2_000;
	const rounds = newRounds("p50", "p99", "max", "peerP50", "peerP99", "peerMax");
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		const ours = await measureSide("search-ours", snapshot, queries);
		const theirs = await measureSide("search-flexsearch", snapshot, queries);
		rounds.p50.push(ours.p50Micros);
		rounds.p99.push(ours.p99Micros);
		rounds.max.push(ours.maxMicros);
		rounds.peerP50.push(theirs.p50Micros);
		rounds.peerP99.push(theirs.p99Micros);
		rounds.peerMax.push(theirs.maxMicros);
	}
	const against = (peerRounds: readonly number[]) => ({ peer: "FlexSearch", rounds: peerRounds, lessIsFaster: true });
	return [
		toFigure("search, median", "µs", rounds.p50, { against: against(rounds.peerP50) }),
		toFigure("search, 99th percentile", "µs", rounds.p99, { against: against(rounds.peerP99), target: "≥ 50" }),
		toFigure("search, slowest", "µs", rounds.max, { against: against(rounds.peerMax) }),
	];
}
