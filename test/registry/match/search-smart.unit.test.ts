import { describe, expect, test } from "bun:test";
import { exampleEntry } from "../../../src/registry/entry";
import { searchSmart } from "../../../src/registry/match/search-smart";
import { toSearchQuery } from "../../../src/registry/search/search-query";
import { buildVocabulary } from "../../../src/registry/search/vocabulary";
import { runRow, viewOf } from "../in-memory";
import { finish } from "./finish";

const NAMES = [
	["FERRETERIA PEREZ SRL", ""],
	["FERRETERIA PEREZ HERMANOS SRL", ""],
	["FERRETERIA PERES SRL", ""],
	["VIAJES CARIBE TUR SRL", "CARIBETURISTICA"],
	["MULTISERVICIOS ROSARIO EIRL", "TALLERES ROSARIO"],
] as const;
const ENTRIES = NAMES.map(([name, trade_name], i) => ({
	...exampleEntry,
	rnc: String(990_000_001 + i),
	name,
	trade_name,
}));
const view = viewOf(ENTRIES);
const vocabulary = await buildVocabulary(view.words());
const steps = (q: string, members: Readonly<Record<string, string>> = {}, of = view) =>
	searchSmart(of, vocabulary, toSearchQuery({ q, field: "name", ...members }, new Uint8Array(32)), q);
const search = (q: string, members?: Readonly<Record<string, string>>) => {
	const { hits, more } = finish(steps(q, members));
	return { more, found: hits.map(({ entry, likeness }) => [entry.name, likeness?.matched]) };
};

test("hits of the query as written come first, then similar ones by score, each once", () => {
	const { hits, more } = finish(steps("FERETERIA PERES"));
	expect(hits.map(({ entry }) => entry.name)).toEqual([
		"FERRETERIA PERES SRL",
		"FERRETERIA PEREZ SRL",
		"FERRETERIA PEREZ HERMANOS SRL",
	]);
	const scores = hits.map(({ likeness }) => likeness?.score ?? 0);
	expect(scores).toEqual(scores.toSorted((a, b) => b - a));
	expect(more).toBe(false);
	expect(search("FERRETERIA PERES").found).toEqual([
		["FERRETERIA PERES SRL", undefined],
		["FERRETERIA PEREZ SRL", "similar"],
		["FERRETERIA PEREZ HERMANOS SRL", "similar"],
	]);
});

test("two words are found joined, and one is found split", () => {
	expect(search("multi servicios rosario").found[0]).toEqual(["MULTISERVICIOS ROSARIO EIRL", "joined"]);
	expect(search("caribetur viajes").found[0]).toEqual(["VIAJES CARIBE TUR SRL", "joined"]);
});

test("a field is searched alone, and `any` is both names", () => {
	expect(search("taleres rosario", { field: "any" }).found[0]).toEqual(["MULTISERVICIOS ROSARIO EIRL", "similar"]);
	expect(search("taleres rosario", { field: "trade_name" }).found).toHaveLength(1);
	expect(search("taleres").found).toEqual([]);
	expect(search("articulos de fereteria", { field: "economic_activity" }).found).toHaveLength(NAMES.length);
});

test("filters and the limit hold, and more hits are reported", () => {
	for (const [limit, more] of [
		["1", true],
		["2", true],
		["3", false],
	] as const) {
		const page = search("FERETERIA PERES", { limit });
		expect([page.found.length, page.more]).toEqual([Number(limit), more]);
	}
	expect(search("FERETERIA PERES", { status: "ANULADO" }).found).toEqual([]);
	expect(search("FERETERIA PERES", { type: "cedula" }).found).toEqual([]);
});

test("an entry that is erased during the search is omitted", () => {
	const erased = new Set<string>();
	const running = steps(
		"FERETERIA PERES",
		{},
		viewOf(ENTRIES, runRow(), (digits) => erased.has(digits)),
	);
	running.next();
	erased.add("990000003");
	expect(finish(running).hits.map(({ entry }) => entry.rnc)).not.toContain("990000003");
});

describe("a query without words of the registry", () => {
	test("finds nothing", () => expect(search("wkwkwk xzxzxz")).toEqual({ found: [], more: false }));
});
