import { describe, expect, test } from "bun:test";
import { connect } from "../../../src/platform/database";
import { exampleEntry } from "../../../src/registry/entry";
import { createTombstones } from "../../../src/registry/erasure/tombstones";
import type { Snapshot } from "../../../src/registry/index/open";
import type { SearchQuery } from "../../../src/registry/index/search";
import { matchName } from "../../../src/registry/match/match-name";
import { viewOf as viewOfLoaded } from "../../../src/registry/runs/current";
import { expandQuery, suggestText } from "../../../src/registry/search/expand-query";
import { buildVocabulary, createVocabularyCache } from "../../../src/registry/search/vocabulary";
import { PEPPER, snapshotOf } from "../build";
import { runRow, viewOf } from "../in-memory";
import { finish } from "../match/finish";
import { buildWords } from "./build-words";

/** A database pool that must not be used. */
const noSql = connect({ url: "postgres://127.0.0.1:1/none", name: "none", connectionsMax: 1 });
const noisy = await buildVocabulary(buildWords(20_000));

const NAMES = [
	"FERRETERIA PEREZ SRL",
	"FERRETERIA PEREZ HERMANOS SRL",
	"FERRETERIA PERES SRL",
	"CONSTRUCTORA RODRIGUEZ VASQUEZ SA",
	"CONSTRUCTORA CASTILLO SRL",
	"JUAN PEREZ RODRIGUEZ",
	"PANADERIA LA ESPIGA SRL",
];
const view = viewOf(NAMES.map((name, i) => ({ ...exampleEntry, rnc: String(990_000_001 + i), name, trade_name: "" })));
const vocabulary = await buildVocabulary(view.words());

const query = (text: string, members: Partial<SearchQuery> = {}): SearchQuery => ({
	field: "name",
	text,
	limit: 25,
	...members,
});

test("a query of misspelt words becomes queries of real ones, the closest first", () => {
	expect(expandQuery(noisy, "fereteria peres")[0]).toBe("FERRETERIA PEREZ");
	expect(expandQuery(noisy, "Contructora Rodriges Vazques")[0]).toBe("CONSTRUCTORA RODRIGUEZ VASQUEZ");
	expect(expandQuery(noisy, "castiyo ernandez", 3)).toContain("CASTILLO HERNANDEZ");
});

test("a query of real words comes first unchanged", () => {
	expect(expandQuery(noisy, "ferretería pérez")[0]).toBe("FERRETERIA PEREZ");
	expect(expandQuery(noisy, "ferre per")[0]).toBe("FERRE PER");
});

test("queries are distinct and limited, and none for a word close to nothing", () => {
	for (const max of [1, 2, 8]) {
		const texts = expandQuery(noisy, "peres gonsales martines sanches lopes", max);
		expect(texts.length).toBe(max);
		expect(new Set(texts).size).toBe(max);
	}
	expect(expandQuery(noisy, "perez wkwkwkwkwk")).toEqual([]);
	expect(expandQuery(noisy, "")).toEqual([]);
});

test("a suggested text finds something, or there is none", async () => {
	expect(await suggestText(view, vocabulary, query("CONTRUCTORA RODRIGES"))).toBe("CONSTRUCTORA RODRIGUEZ");
	expect(await suggestText(view, vocabulary, query("PANADERIA RODRIGES"))).toBeUndefined();
	expect(await suggestText(view, vocabulary, query("FERETERIA"))).toBe("FERRETERIA");
	expect(await suggestText(view, vocabulary, query("ZZZZZZ"))).toBeUndefined();
	expect(await suggestText(view, vocabulary, query("CONTRUCTORA", { status: "ANULADO" }))).toBeUndefined();
});

test("a suggested text is never the query, even if the query finds something", async () => {
	for (const text of ["FERRETERIA", "CONSTRUCTORA CASTILLO", "SRL", "FERRETERIA PERES"]) {
		expect([text, await suggestText(view, vocabulary, query(text))]).not.toEqual([text, text]);
	}
	expect(await suggestText(view, vocabulary, query("PEREZ"))).toBe("PERES");
});

test("a run's vocabulary is built once, and again for the next run", async () => {
	const vocabularyFor = createVocabularyCache();
	let built = 0;
	const counted = { ...view, words: () => (built++ === 0 ? view.words() : []) };
	for (const _ of [1, 2]) expect((await vocabularyFor(counted)).rowsOf("PEREZ")).toBeGreaterThan(0);
	expect(built).toBe(1);
	const next = viewOf(
		[{ ...exampleEntry, name: "OTRA COSA" }],
		runRow({ runId: "0192ef00-0000-7000-8000-000000000002" }),
	);
	const second = await vocabularyFor(next);
	expect(second.rowsOf("PEREZ")).toBe(0);
	expect(second.rowsOf("OTRA")).toBe(1);
});

test("the vocabulary of a cleared file has no word of erased entries", async () => {
	const vocabularyFor = createVocabularyCache();
	const person = { ...exampleEntry, rnc: "990000009", name: "PURGANDA" };
	const viewOfFile = (file: Snapshot) =>
		viewOfLoaded({ run: runRow(), snapshot: file, isVerified: true }, createTombstones(noSql, PEPPER));
	const before = viewOfFile(snapshotOf([exampleEntry, person]));
	const first = await vocabularyFor(before);
	expect(first.rowsOf("PURGANDA")).toBe(1);
	const cleared = snapshotOf([exampleEntry]);
	expect((await vocabularyFor(viewOfFile(cleared))).rowsOf("PURGANDA")).toBe(0);
	// The run's file may have been rebuilt under the same name.
	const [path, clearedOf] = [before.dataId.split(" ")[0] ?? "", "other"];
	const anew = viewOfFile({ ...cleared, path, manifest: { ...cleared.manifest, clearedOf } });
	await vocabularyFor(before);
	expect((await vocabularyFor(anew)).rowsOf("PURGANDA")).toBe(0);
});

describe("the vocabulary of a file that still holds erased entries", () => {
	const person = (rnc: string, name: string) => ({ ...exampleEntry, rnc, name, trade_name: "" });
	const file = snapshotOf([
		person("990000001", "TALLERES BONANZA"),
		person("990000002", "TALLERES BONANZA DOS"),
		person("990000009", "PURGANDA BONANZA"),
	]);
	const tombstones = createTombstones(noSql, PEPPER);
	const fileView = viewOfLoaded({ run: runRow(), snapshot: file, isVerified: true }, tombstones);
	const vocabularyFor = createVocabularyCache();

	test("knows their words before the erasure, and no word of theirs alone after it", async () => {
		const known = await vocabularyFor(fileView);
		expect([known.rowsOf("PURGANDA"), known.isWordPrefix("PURG"), known.rowsOf("BONANZA")]).toEqual([1, true, 3]);
		expect(known.suggest("PURGANTA", 3).map(({ word }) => word)).toEqual(["PURGANDA"]);
		tombstones.add(tombstones.digestOf("990000009").toString("hex"));
		for (const vocabularyNow of [known, await vocabularyFor(fileView)]) {
			expect(vocabularyNow.rowsOf("PURGANDA")).toBe(0);
			expect(vocabularyNow.isWordPrefix("PURG")).toBe(false);
			expect(vocabularyNow.suggest("PURGANTA", 3)).toEqual([]);
			expect(vocabularyNow.rowsOf("BONANZA")).toBe(2);
			expect(vocabularyNow.suggest("BONANSA", 3)).toMatchObject([{ word: "BONANZA", rows: 2 }]);
		}
	});

	test("scores a name of their words like one of unknown words", async () => {
		const scores = async (name: string) => {
			const matches = finish(matchName(fileView, await vocabularyFor(fileView), name, { minScore: 0.3, limit: 10 }));
			return matches.map(({ score, entry }) => [score, entry.rnc]);
		};
		expect(await scores("PURGANDA BONANZA")).toEqual(await scores("WKXWKXWK BONANZA"));
		expect(await scores("PURGANDA BONANZA")).toHaveLength(2);
	});
});
