/**
 * What does a look-up by number cost in the snapshot, without HTTP?
 *
 * Ours finds the row and writes the entry's JSON. The peers are the obvious implementation, a map of objects and `JSON.stringify`; a map of
 * ready
 * texts, which is the least work but keeps everything in the process's memory; and SQLite with ready bytes, indexed by number. Every side
 * returns bytes that could be sent.
 */
import { join } from "node:path";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeSnapshot, repeatRounds } from "./registry-data";
import { measureSide } from "./registry-side";

export const question = "How long does a look-up take from a number to the bytes of its answer?";
export const peer = "a Map of objects and JSON.stringify, a Map of texts, SQLite";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { folder, snapshot } = await makeSnapshot(stack, { smoke });
	const sqlite = join(folder, "entries.sqlite");
	await measureSide("write-sqlite", snapshot, sqlite);
	const lookups = smoke ? 20_000 : 500_000;
	const p50 = newRounds("ours", "objects", "strings", "sqlite");
	const p99 = newRounds("ours", "objects", "strings", "sqlite");
	const own = newRounds("ours", "objects", "strings", "sqlite");
	await repeatRounds(smoke, async () => {
		for (const side of ["ours", "objects", "strings", "sqlite"] as const) {
			const measured = await measureSide(`lookup-${side}`, snapshot, lookups, sqlite);
			p50[side].push(measured.p50Micros);
			p99[side].push(measured.p99Micros);
			own[side].push(measured.ownMiB);
		}
	});
	const peers = [
		{ side: "objects", peer: "a Map of objects" },
		{ side: "strings", peer: "a Map of texts" },
		{ side: "sqlite", peer: "SQLite" },
	] as const;
	const against = (name: string, unit: string, rounds: typeof p50) =>
		peers.map(({ side, peer }) =>
			toFigure(name, unit, rounds.ours, { against: { peer, rounds: rounds[side], lessIsFaster: true } }),
		);
	return [
		...against("look-up, median of hundreds", "µs", p50),
		...against("look-up, 99th percentile of hundreds", "µs", p99),
		...against("memory of the process's own", "MiB", own),
	];
}
