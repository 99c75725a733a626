/**
 * How long does a search in memory take, especially a slow one? A search on the event loop delays everything behind it.
 *
 * All sides get the same 1,000 texts for the field `name` and return at most 25 rows. The peers find other rows: FlexSearch has its own
 * ranking,
 * SQLite none or BM25, and neither knows whole values. Ours are compared with a scan of every entry on 2,000 other texts; the bench throws
 * at a difference.
 */
import { join } from "node:path";
import { type BenchOptions, type Figure, newRounds, toFigure } from "./bench";
import { makeSnapshot, repeatRounds } from "./registry-data";
import { measureSide } from "./registry-side";

export const question = "How long does a search for words take among 760,000 entries?";
export const peer = "FlexSearch and SQLite's FTS5, indexes for prefixes of the same names";

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const { folder, snapshot } = await makeSnapshot(stack, { smoke });
	const fts5 = join(folder, "fts5.sqlite");
	await measureSide("write-fts5", snapshot, fts5);
	await measureSide("compare-with-scan", snapshot, smoke ? 200 : 2_000);
	const queries = smoke ? 200 : 1_000;
	const p50 = newRounds("ours", "flexsearch", "unranked", "bm25");
	const p99 = newRounds("ours", "flexsearch", "unranked", "bm25");
	const slowest = newRounds("ours", "flexsearch", "unranked", "bm25");
	await repeatRounds(smoke, async () => {
		for (const side of ["ours", "flexsearch", "unranked", "bm25"] as const) {
			const measured = await measureSide(`search-${side}`, snapshot, queries, fts5);
			p50[side].push(measured.p50Micros);
			p99[side].push(measured.p99Micros);
			slowest[side].push(measured.maxMicros);
		}
	});
	const peers = [
		{ side: "flexsearch", peer: "FlexSearch" },
		{ side: "unranked", peer: "FTS5, unranked" },
		{ side: "bm25", peer: "FTS5, BM25" },
	] as const;
	const against = (name: string, rounds: typeof p50, target?: string) =>
		peers.map(({ side, peer }) => {
			const compared = { against: { peer, rounds: rounds[side], lessIsFaster: true } };
			return toFigure(name, "µs", rounds.ours, target === undefined ? compared : { ...compared, target });
		});
	return [
		...against("search, median", p50),
		...against("search, 99th percentile", p99, "≥ 50"),
		...against("search, slowest", slowest),
	];
}
