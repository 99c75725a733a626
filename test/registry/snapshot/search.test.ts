import { beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import fc from "fast-check";
import type { RegistryEntry } from "../../../src/registry";
import { parseSource } from "../../../src/registry/ingest/parse";
import { unzipOnly } from "../../../src/registry/ingest/unzip";
import { normaliseText } from "../../../src/registry/normalise";
import { type SearchQuery, searchSnapshot } from "../../../src/registry/snapshot/search";
import { buildSnapshot, eraseEntry, type Snapshot } from "../../../src/registry/snapshot/snapshot";
import { entry, SAMPLE } from "../build";

const nobody = () => false;

/** The rules of the search, written as plainly as they are told: no index, every entry looked at. */
function searchPlainly(all: readonly RegistryEntry[], query: SearchQuery): RegistryEntry[] {
	const ofKind = all.filter((e) => !query.kind || (query.kind === "rnc" ? e.rnc.length === 9 : e.rnc.length === 11));
	const pool = ofKind.filter((e) => !query.status || e.status === query.status);
	const byNumber = (a: RegistryEntry, b: RegistryEntry) => (a.rnc < b.rnc ? -1 : 1);
	if (query.field === "document") return pool.filter((e) => e.rnc.startsWith(query.text)).sort(byNumber);
	const field = query.field;
	const fold = (e: RegistryEntry) => normaliseText(e[field]);
	const words = query.text.split(" ");
	const hits = pool.filter((e) =>
		words.every((w) =>
			fold(e)
				.split(" ")
				.some((v) => v.startsWith(w)),
		),
	);
	const rank = (e: RegistryEntry) => (fold(e) === query.text ? 0 : fold(e).startsWith(query.text) ? 1 : 2);
	const active = (e: RegistryEntry) => (e.status === "ACTIVO" ? 0 : 1);
	return hits.sort(
		(a, b) => rank(a) - rank(b) || active(a) - active(b) || fold(a).length - fold(b).length || byNumber(a, b),
	);
}

let all: readonly RegistryEntry[];
let snapshot: Snapshot;

beforeAll(async () => {
	all = (await parseSource(await unzipOnly(readFileSync(SAMPLE)))).entries;
	snapshot = await buildSnapshot(all);
});

/** Queries made of the data's own words, whole and cut, in any order, sometimes of words that do not go together. */
function queries(): fc.Arbitrary<SearchQuery> {
	const pickEntry = fc.nat({ max: all.length - 1 }).map((i) => all[i] ?? entry());
	const text = fc
		.record({
			field: fc.constantFrom("name" as const, "trade_name" as const, "economic_activity" as const),
			sources: fc.array(pickEntry, { minLength: 1, maxLength: 2 }),
			picks: fc.array(fc.tuple(fc.nat(7), fc.nat(6)), { minLength: 1, maxLength: 3 }),
			whole: fc.boolean(),
		})
		.map(({ field, sources, picks, whole }) => {
			const folded = normaliseText(sources[0]?.[field] ?? "");
			if (whole && folded) return { field, text: folded.slice(0, Math.max(3, (picks[0]?.[1] ?? 0) * 6)).trim() };
			const words = sources.flatMap((e) => normaliseText(e[field]).split(" ")).filter((w) => w !== "");
			const chosen = picks.map(([at, cut]) => (words[at % (words.length || 1)] ?? "SRL").slice(0, cut + 1));
			return { field, text: chosen.join(" ") };
		});
	const document = fc
		.record({ source: pickEntry, digits: fc.integer({ min: 3, max: 11 }) })
		.map(({ source, digits }) => ({ field: "document" as const, text: source.rnc.slice(0, digits) }));
	return fc
		.record({
			what: fc.oneof({ weight: 5, arbitrary: text }, { weight: 1, arbitrary: document }),
			kind: fc.constantFrom(undefined, undefined, "rnc" as const, "cedula" as const),
			status: fc.constantFrom(undefined, undefined, "ACTIVO", "SUSPENDIDO", "CESADO"),
			limit: fc.integer({ min: 1, max: 100 }),
		})
		.map(({ what, kind, status, limit }) => ({ ...what, limit, ...(kind && { kind }), ...(status && { status }) }));
}

const numbers = (list: readonly RegistryEntry[]) => list.map((e) => e.rnc);

describe("against a search that looks at every entry", () => {
	test("hits and their order are equal", () => {
		let hits = 0;
		fc.assert(
			fc.property(queries(), (query) => {
				const expected = searchPlainly(all, query);
				const found = searchSnapshot(snapshot, query, nobody);
				hits += found.entries.length;
				expect(numbers(found.entries)).toEqual(numbers(expected.slice(0, query.limit)));
				expect(found.more).toBe(expected.length > query.limit);
			}),
			{ numRuns: 600 },
		);
		expect(hits).toBeGreaterThan(3_000);
	});

	test("pages joined are the whole, without gap or repetition", () => {
		fc.assert(
			fc.property(queries(), fc.integer({ min: 7, max: 60 }), (query, limit) => {
				const joined: RegistryEntry[] = [];
				let page = searchSnapshot(snapshot, { ...query, limit }, nobody);
				joined.push(...page.entries);
				while (page.more && page.last) {
					page = searchSnapshot(snapshot, { ...query, limit, after: page.last }, nobody);
					joined.push(...page.entries);
				}
				expect(numbers(joined)).toEqual(numbers(searchPlainly(all, query)));
			}),
			{ numRuns: 60 },
		);
	});

	test("erased entries leave neither hits nor counts, whether swept from memory or only refused", async () => {
		const erased = new Set(all.filter((_, i) => i % 3 === 0).map((e) => e.rnc));
		const left = all.filter((e) => !erased.has(e.rnc));
		const swept = await buildSnapshot(all);
		for (const digits of erased) eraseEntry(swept, digits);
		fc.assert(
			fc.property(queries(), (query) => {
				const expected = searchPlainly(left, query);
				for (const found of [
					searchSnapshot(swept, query, nobody),
					searchSnapshot(snapshot, query, (digits) => erased.has(digits)),
				]) {
					expect(numbers(found.entries)).toEqual(numbers(expected.slice(0, query.limit)));
					expect(found.more).toBe(expected.length > query.limit);
				}
			}),
			{ numRuns: 200 },
		);
	});

	test("a page continues at its place although the entry that ended the page before was erased", async () => {
		const own = await buildSnapshot(all);
		const query: SearchQuery = { field: "name", text: "COM", limit: 10 };
		const expected = searchPlainly(all, query);
		const first = searchSnapshot(own, query, nobody);
		eraseEntry(own, first.last?.document ?? "");
		const after = first.last;
		if (!after) throw new Error("the first page has no end");
		const second = searchSnapshot(own, { ...query, after }, nobody);
		expect(numbers(second.entries)).toEqual(numbers(expected.slice(10, 20)));
		const byNumber: SearchQuery = { field: "document", text: "999", limit: 10 };
		const firstByNumber = searchSnapshot(own, byNumber, nobody);
		const expectedByNumber = searchPlainly(all, byNumber).slice(10, 20);
		for (const e of firstByNumber.entries) eraseEntry(own, e.rnc);
		const end = firstByNumber.last;
		if (!end) throw new Error("the first page has no end");
		expect(numbers(searchSnapshot(own, { ...byNumber, after: end }, nobody).entries)).toEqual(
			numbers(expectedByNumber),
		);
	});
});

test("an erased entry leaves neither its number nor its texts in memory", async () => {
	const secret = entry({ rnc: "990000007", name: "ZUTANA QUERELIA", trade_name: "LA ZUTANA", economic_activity: "X" });
	const neighbours = [entry({ rnc: "990000006" }), secret, entry({ rnc: "990000008" }), entry({ rnc: "990000009" })];
	const own = await buildSnapshot(neighbours);
	// The neighbour first, so that its row leans on the secret one.
	eraseEntry(own, "990000008");
	eraseEntry(own, secret.rnc);
	const { entries, documents, rowOf, fields } = own;
	const texts = Object.values(fields).flatMap((field) => field.values);
	const kept = JSON.stringify([entries, documents, [...rowOf], texts]);
	expect(kept).not.toContain(secret.rnc);
	expect(kept).not.toContain("ZUTANA");
	expect(numbers(searchSnapshot(own, { field: "document", text: "99000", limit: 9 }, nobody).entries)).toEqual([
		"990000006",
		"990000009",
	]);
});

test("the ranking is equality, then beginning, then the rest, and within them active, short, low number", async () => {
	const named = (rnc: string, name: string, status = "ACTIVO") => entry({ rnc, name, status });
	const own = await buildSnapshot([
		named("990000001", "EL FARO NORTE"),
		named("990000002", "FARO NORTE SUR"),
		named("990000003", "FARO", "SUSPENDIDO"),
		named("990000004", "FARO NORTE"),
		named("990000005", "FARO"),
		named("990000006", "LA FAROLA"),
		named("990000007", "FARO NORTE"),
		named("990000008", "EL FARO", "ANULADO"),
	]);
	const found = searchSnapshot(own, { field: "name", text: "FARO", limit: 10 }, nobody);
	expect(found.entries.map((e) => e.rnc.slice(-1)).join("")).toBe("53472618");
});
