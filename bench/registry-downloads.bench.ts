/**
 * What do the files for download cost to make, and how large are they, beside the authority's own zip?
 *
 * The peer packs the text of that zip again. A set is made twice in each round, without deltas and with those of 32 days on which 2,179
 * entries changed. Sizes are of the set with 11-digit numbers.
 */
import { readFileSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeSnapshot, repeatRounds } from "./registry-data";
import { measureSide } from "./registry-side";

export const question = "What do the files for download cost, and how large are they?";
export const peer = "the authority's zip: its size, and packing its text again";

const RUNS = 32;
const MIB = 2 ** 20;

type Listed = { readonly name: string; readonly kind: string; readonly bytes: number };

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { folder, source, snapshot } = await makeSnapshot(stack, { smoke });
	const rounds = newRounds("zip", "whole", "peak", "deltas", "find");
	const target = join(folder, "set");
	let files: readonly Listed[] = [];
	await repeatRounds(smoke, async () => {
		rounds.zip.push((await measureSide("zip", source)).ms / 1_000);
		const whole = await measureSide("downloads", snapshot, target, 1);
		rmSync(target, { recursive: true });
		const all = await measureSide("downloads", snapshot, target, RUNS);
		rounds.whole.push(whole.ms / 1_000);
		rounds.peak.push(all.peakMiB);
		rounds.deltas.push(Math.max(0, all.ms - whole.ms) / 1_000);
		const till = await measureSide("numbers", snapshot, join(target, "numbers"), smoke ? 1_000 : 100_000);
		rounds.find.push(till.p50Micros);
		files = (JSON.parse(readFileSync(join(target, "set.json"), "utf8")) as { files: Listed[] }).files;
		rmSync(target, { recursive: true });
	});
	const zipBytes = [statSync(source).size / MIB];
	const size = (figure: string, listed: readonly Listed[], wanted?: string) =>
		toFigure(figure, "MiB", [listed.reduce((sum, { bytes }) => sum + bytes, 0) / MIB], {
			against: { peer: "zip", rounds: zipBytes, lessIsFaster: true },
			target: wanted,
		});
	const ofKind = (kind: string) => files.filter((file) => file.kind === kind);
	const deltas = ofKind("delta").toSorted((a, b) => a.bytes - b.bytes);
	const against = { peer: "packing the zip", rounds: rounds.zip, lessIsFaster: true };
	return [
		toFigure("packing the authority's text", "s", rounds.zip),
		toFigure("all files without deltas", "s", rounds.whole, { against }),
		toFigure("deltas of 32 runs besides", "s", rounds.deltas, { against }),
		toFigure("peak memory", "MiB", rounds.peak, { target: "≤ 400 MiB" }),
		toFigure("a number found at the till", "µs", rounds.find, { target: "≤ 2 µs" }),
		toFigure("the authority's zip", "MiB", zipBytes),
		...ofKind("taxpayers").map((file) =>
			size(file.name, [file], file.name.includes("csv") ? "≤ 9.7 MiB" : "≤ 9.1 MiB"),
		),
		size("numbers", ofKind("numbers"), "≤ 1.04 MiB"),
		size("delta of a run", deltas.slice(0, 1)),
		size("delta of 31 days", deltas.slice(-1)),
		size("all deltas", deltas),
		size("delta of a run for tills", ofKind("numbers-delta").slice(0, 1)),
		size("all deltas for tills", ofKind("numbers-delta")),
	];
}
