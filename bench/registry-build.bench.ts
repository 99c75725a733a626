/**
 * How long does it take from the authority's zip to a verified snapshot on disk?
 *
 * Ours reads, unpacks, checks, parses, indexes three fields, writes, syncs and verifies. FlexSearch gets the same values ready in memory
 * and
 * indexes the same three fields there for prefixes. Each build has its own process.
 */
import { join } from "node:path";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeSource, repeatRounds } from "./registry-data";
import { measureSide } from "./registry-side";

export const question = "How long does a source of 760,000 entries take to a verified snapshot, and how much memory?";
export const peer = "FlexSearch that indexes the same three fields in memory";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { folder, source } = makeSource(stack, { smoke });
	const rounds = newRounds("ours", "flexsearch", "oursPeak", "flexsearchPeak");
	await repeatRounds(smoke, async (round) => {
		const snapshot = join(folder, `${round}.snapshot`);
		const ours = await measureSide("build-ours", source, snapshot);
		const theirs = await measureSide("build-flexsearch", snapshot);
		rounds.ours.push(ours.ms / 1_000);
		rounds.oursPeak.push(ours.peakMiB);
		rounds.flexsearch.push(theirs.ms / 1_000);
		rounds.flexsearchPeak.push(theirs.peakMiB);
	});
	const against = { peer: "FlexSearch", rounds: rounds.flexsearch, lessIsFaster: true };
	const peaks = { peer: "FlexSearch", rounds: rounds.flexsearchPeak, lessIsFaster: true };
	return [
		toFigure("FlexSearch, three indexes", "s", rounds.flexsearch),
		toFigure("source to verified snapshot", "s", rounds.ours, { against, target: "≥ 15" }),
		toFigure("peak memory of it", "MiB", rounds.oursPeak, { against: peaks, target: "≤ 600 MiB" }),
	];
}
