/**
 * What does a look-up by number cost in the snapshot, without HTTP?
 *
 * Ours finds the row and copies the entry's ready JSON. The peer is what one would write first: a map of objects, and `JSON.stringify`.
 */
import { join } from "node:path";
import { generateRegistry } from "../scripts/generate-registry";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeFolder } from "./child";
import { measureSide } from "./registry-side";

export const question = "How long does a look-up take from a number to the bytes of its answer?";
export const peer = "a Map of objects and JSON.stringify";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const folder = makeFolder(stack);
	const source = join(folder, "registry.zip");
	const snapshot = join(folder, "bench.snapshot");
	generateRegistry({ records: smoke ? 5_000 : 760_000, seed: 1, out: source });
	await measureSide("build-ours", source, snapshot);
	const lookups = smoke ? 20_000 : 500_000;
	const rounds = newRounds("p50", "p99", "own", "peerP50", "peerP99", "peerOwn");
	for (let round = 0; round < (smoke ? 1 : 5); round++) {
		const ours = await measureSide("lookup-ours", snapshot, lookups);
		const theirs = await measureSide("lookup-map", snapshot, lookups);
		rounds.p50.push(ours.p50Micros);
		rounds.p99.push(ours.p99Micros);
		rounds.own.push(ours.ownMiB);
		rounds.peerP50.push(theirs.p50Micros);
		rounds.peerP99.push(theirs.p99Micros);
		rounds.peerOwn.push(theirs.ownMiB);
	}
	const against = (peerRounds: readonly number[]) => ({ peer: "a Map", rounds: peerRounds, lessIsFaster: true });
	return [
		toFigure("look-up, median of hundreds", "µs", rounds.p50, { against: against(rounds.peerP50) }),
		toFigure("look-up, 99th percentile of hundreds", "µs", rounds.p99, { against: against(rounds.peerP99) }),
		toFigure("memory of the process's own", "MiB", rounds.own, { against: against(rounds.peerOwn) }),
	];
}
