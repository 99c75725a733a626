/**
 * Does a search find what people mean, and how long does it take?
 *
 * 120 entries with 499 judged queries and 8,000 decoys of the same words lie among 760,000 generated entries. 200 further queries are made by
 * rule from generated entries. Recall counts the meant entries among the first ten hits. Suggestions are asked for with each letter of 200
 * names, until the entry is among eight.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { unzipSync, zipSync } from "fflate";
import { entryAt } from "../src/registry/index/entries";
import { openSnapshot } from "../src/registry/index/open";
import { searchSmart } from "../src/registry/match/search-smart";
import { viewOf } from "../src/registry/runs/current";
import { toSearchQuery } from "../src/registry/search/search-query";
import { buildVocabulary } from "../src/registry/search/vocabulary";
import { suggestAtOnce } from "../src/registry/suggest/suggest";
import { toText } from "../test/registry/build";
import { runRow } from "../test/registry/in-memory";
import { finish } from "../test/registry/match/finish";
import { judge, judgedEntries, judgedQueries, makeDecoys, makeHeldOut } from "../test/registry/relevance/cases";
import { type BenchOptions, type Figure, toFigure } from "./bench";
import { makeSource, type RegistryData } from "./registry-data";
import { makeRandom } from "./registry-queries";
import { measureSide } from "./registry-side";
import { timeEach } from "./registry-timing";

export const question = "Does a search find what people mean among 760,000 entries, and how long does it take?";
export const peer = "none; the figures are shares of judged queries, and times in process";

const HELD_OUT = 200;
const TYPED = 200;
const SUGGESTIONS = 8;

export async function run({ smoke }: BenchOptions): Promise<Figure[]> {
	await using stack = new AsyncDisposableStack();
	const data = makeSource(stack, { smoke });
	addCases(data, smoke ? 500 : undefined);
	await measureSide("build-ours", data.source, data.snapshot);
	const snapshot = openSnapshot(data.snapshot);
	const tombstones = { isErased: () => false, fingerprint: () => snapshot.manifest.clearedOf };
	const view = viewOf({ run: runRow(), snapshot, isVerified: true }, tombstones);
	const vocabulary = await buildVocabulary(view.words());
	const queryOf = (q: string) => toSearchQuery({ q, field: "any", limit: "10" }, new Uint8Array(32));
	const smart = (q: string) => finish(searchSmart(view, vocabulary, queryOf(q), q)).hits.map(({ entry }) => entry.rnc);
	const exact = (q: string) => view.search(queryOf(q)).entries.map(({ rnc }) => rnc);
	const known = new Set([...judgedEntries, ...makeDecoys()].map(({ rnc }) => rnc));
	const generated = Array.from({ length: snapshot.entryCount }, (_, row) => entryAt(snapshot, row)).filter(
		({ rnc }) => !known.has(rnc),
	);
	const heldOut = makeHeldOut(generated, smoke ? 20 : HELD_OUT);
	const judged = smoke ? judgedQueries.slice(0, 20) : judgedQueries;
	const queries = [...judged, ...heldOut].map(({ q }) => q);
	const smartTimes = timeEach(queries.length, (i) => smart(queries[i] ?? ""));
	const random = makeRandom(17);
	// A name that several entries have cannot distinguish them, however much of it is typed.
	const owners = Map.groupBy(generated, ({ name }) => name);
	const unique = generated.filter(({ name }) => owners.get(name)?.length === 1);
	const names = Array.from({ length: smoke ? 5 : TYPED }, () => unique[random(unique.length)]);
	const { texts, saved } = typeNames(names, (q) =>
		suggestAtOnce(view, q, { limit: SUGGESTIONS }).suggestions.map(({ rnc }) => rnc),
	);
	const suggestTimes = timeEach(texts.length, (i) => suggestAtOnce(view, texts[i] ?? "", { limit: SUGGESTIONS }));
	const [mine, theirs, plain] = [judge(judged, smart), judge(heldOut, smart), judge(judged, exact)];
	const share = (name: string, value: number, target: string) => toFigure(name, "share", [value], { target });
	return [
		share("smart, recall at 10, judged", mine.recall, "≥ 0.98"),
		share("smart, recall at 10, held out", theirs.recall, "≥ 0.93"),
		share("smart, reciprocal rank, judged", mine.reciprocalRank, "≥ 0.95"),
		share("smart, reciprocal rank, held out", theirs.reciprocalRank, "≥ 0.85"),
		share("exact, recall at 10, judged", plain.recall, "≥ 0.83"),
		share("suggest, keystrokes saved", saved, "≥ 0.5"),
		toFigure("smart, median", "ms", [smartTimes.p50Micros / 1_000]),
		toFigure("smart, 99th percentile", "ms", [smartTimes.p99Micros / 1_000], { target: "≤ 40 ms" }),
		toFigure("suggest, median", "ms", [suggestTimes.p50Micros / 1_000]),
		toFigure("suggest, 99th percentile", "ms", [suggestTimes.p99Micros / 1_000], { target: "≤ 0.5 ms" }),
	];
}

/** Adds the judged entries and their decoys to a source. */
function addCases({ source }: RegistryData, decoys: number | undefined): void {
	const [[name, text] = []] = Object.entries(unzipSync(readFileSync(source)));
	if (name === undefined || !text) throw new Error("the generated source is empty");
	const whole = Buffer.concat([text, toText([...judgedEntries, ...makeDecoys(decoys)])]);
	writeFileSync(source, zipSync({ [name]: whole }, { level: 0 }));
}

/** What is typed until a suggestion is the entry, and the share of letters that need not be typed. */
function typeNames(
	entries: readonly ({ readonly rnc: string; readonly name: string } | undefined)[],
	suggest: (text: string) => readonly string[],
): { readonly texts: readonly string[]; readonly saved: number } {
	const texts: string[] = [];
	let typed = 0;
	let letters = 0;
	for (const entry of entries) {
		if (!entry) continue;
		letters += entry.name.length;
		let length = 2;
		for (; length <= entry.name.length; length++) {
			const text = entry.name.slice(0, length);
			texts.push(text);
			if (suggest(text).includes(entry.rnc)) break;
		}
		typed += Math.min(length, entry.name.length);
	}
	return { texts, saved: 1 - typed / letters };
}
