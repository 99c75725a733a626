/**
 * How soon does a process answer from an existing snapshot, and what does each further process on a host cost?
 *
 * The file is mapped, so its pages belong to the host. What counts is private memory after 20,000 look-ups and 500 searches, compared with
 * a
 * process that only loaded the same code.
 */
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeSnapshot, repeatRounds } from "./registry-data";
import { measureSide } from "./registry-side";

export const question = "How soon is a snapshot of 760,000 entries ready, and what does a further process cost?";
export const peer = "a process that loads the same code and opens nothing";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { snapshot } = await makeSnapshot(stack, { smoke });
	const rounds = newRounds("ms", "own", "bare");
	await repeatRounds(smoke, async () => {
		const opened = await measureSide("open", snapshot);
		const bare = await measureSide("bare");
		rounds.ms.push(opened.ms);
		rounds.own.push(opened.ownMiB - bare.ownMiB);
		rounds.bare.push(bare.ownMiB);
	});
	return [
		toFigure("open to first look-up", "ms", rounds.ms, { target: "≤ 150 ms" }),
		toFigure("a bare process's own memory", "MiB", rounds.bare),
		toFigure("what the registry adds to it", "MiB", rounds.own, { target: "≤ 60 MiB" }),
	];
}
