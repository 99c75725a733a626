import { expect, test } from "bun:test";
import { systemClock } from "../../../src/platform/values";
import { keyOf } from "../../../src/registry/index/index";
import { createSlices } from "../../../src/registry/match";
import { reconcileOperations } from "../../../src/registry/reconcile";
import {
	findByName,
	findByNumber,
	type ReconcileQuery,
	readQueries,
	toCandidates,
} from "../../../src/registry/reconcile/queries";
import { buildVocabulary } from "../../../src/registry/search";
import { entry } from "../build";
import { ask, problemOf, viewOf } from "../in-memory";
import { finish } from "../match/finish";

const ERASED = "990000009";
const view = viewOf(
	[
		entry({ rnc: "131880681", name: "FERRETERIA EL PROGRESO SRL", trade_name: "EL PROGRESO" }),
		entry({ rnc: "990000002", name: "CARIBE TOURS SRL", trade_name: "" }),
		entry({ rnc: "990000005", name: "CARIBE TOURS SA", trade_name: "" }),
		entry({ rnc: "990000003", name: "JOSE PEREZ MARTE", trade_name: "" }),
		entry({ rnc: "00100000011", name: "JOSE PEREZ MARTE", trade_name: "" }),
		entry({ rnc: ERASED, name: "QUERELLANTE ZUTANO SRL", trade_name: "" }),
	],
	undefined,
	(digits) => digits === ERASED,
);
const vocabulary = await buildVocabulary(view.words());

function reconcile(query: ReconcileQuery) {
	return toCandidates(findByNumber(view, query) ?? finish(findByName(view, vocabulary, query)));
}
const shortOf = (query: ReconcileQuery) => reconcile(query).map(({ id, match }) => [id, match]);

test("a number has one candidate, its entry, beyond doubt", () => {
	expect(reconcile({ query: " 1-31-88068-1 " })).toEqual([
		{
			...{ id: "131880681", name: "FERRETERIA EL PROGRESO SRL", score: 1, match: true },
			type: [
				{ id: "taxpayer", name: "Contribuyente" },
				{ id: "rnc", name: "RNC de 9 dígitos" },
			],
		},
	]);
	expect(reconcile({ query: "999999999" })).toEqual([]);
});

test("a misspelt name, and one with its words joined, match beyond doubt", () => {
	expect(shortOf({ query: "Fereteria El Progreso, S.R.L." })).toEqual([["131880681", true]]);
	expect(shortOf({ query: "caribetours srl" })[0]).toEqual(["990000002", true]);
	expect(shortOf({ query: "CARI BE TOURS, S.A." })[0]).toEqual(["990000005", true]);
	expect(shortOf({ query: "ferreteria" })).toEqual([["131880681", false]]);
});

test("equal names need a person, unless the length of the number decides", () => {
	const query = "José Pérez Marte";
	expect(shortOf({ query })).toEqual([
		["00100000011", false],
		["990000003", false],
	]);
	expect(shortOf({ query, type: "cedula" })).toEqual([["00100000011", true]]);
	expect(shortOf({ query, type: ["rnc"], limit: 1 })).toEqual([["990000003", true]]);
	expect(shortOf({ query, limit: 1 })).toEqual([["00100000011", false]]);
	expect(shortOf({ query, type: "taxpayer", limit: 0 })).toHaveLength(2);
});

test("a number in another column decides if the name agrees, and else comes first", () => {
	const properties = [
		{ pid: "status", v: "x" },
		{ pid: "rnc", v: ["990000003"] },
	];
	expect(shortOf({ query: "Jose Perez Marte", properties })).toEqual([["990000003", true]]);
	expect(shortOf({ query: "", properties })).toEqual([["990000003", true]]);
	expect(shortOf({ query: "Caribe Tours SRL", properties })).toEqual([
		["990000003", false],
		["990000002", false],
		["990000005", false],
	]);
	const unknown = [{ pid: "rnc", v: "999999999" }];
	expect(shortOf({ query: "Caribe Tours SRL", properties: unknown })[0]).toEqual(["990000002", true]);
});

test("an erased entry is no candidate, and texts without words have none", () => {
	expect(reconcile({ query: "Querellante Zutano" })).toEqual([]);
	for (const query of ["", " ", "...", "🙂", "x".repeat(20_000)]) expect(reconcile({ query })).toEqual([]);
});

test.each([
	["no JSON", "{", "malformed-json", undefined],
	["a key twice", '{"a":{"query":"x"},"a":{"query":"y"}}', "malformed-json", undefined],
	["depth", "[".repeat(100_000), "validation-error", "too-deep"],
	["a list", "[]", "validation-error", "wrong-type"],
	["no text", '{"q0":{}}', "validation-error", "required"],
	[
		"51 queries",
		JSON.stringify(Object.fromEntries(Array.from({ length: 51 }, (_, i) => [i, { query: "x" }]))),
		"validation-error",
		"too-many",
	],
] as const)("refuses %s before any name is compared", async (_, text, slug, code) => {
	const problem = await problemOf(Promise.resolve().then(() => readQueries(text) as never));
	expect([problem.slug, problem.faults?.[0]?.code]).toEqual([slug, code]);
});

test("an abandoned batch ends, a caller has at most four, and names count as shown", async () => {
	const unused = () => {
		throw new Error("not expected");
	};
	const shown = new Set<number>();
	const operations = reconcileOperations({
		...{ takeView: () => view, vocabularyFor: async () => vocabulary, slices: createSlices(), suggest: unused },
		links: { create: unused, list: unused, revoke: unused, findCaller: unused },
		...{
			clock: systemClock,
			harvest: { admit: () => ({ isUsedUp: () => false, add: (key) => void shown.add(key) }) },
			baseUrl: "",
			viewUrl: undefined,
		},
	});
	const queries = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [i, { query: `Ferreteria ${i} Progreso` }]));
	const path = `/v1/reconcile/x?queries=${encodeURIComponent(JSON.stringify(queries))}`;
	const gone = new AbortController();
	const batches = Array.from({ length: 4 }, () => problemOf(ask(operations, "GET", path, { signal: gone.signal })));
	const fifth = await problemOf(ask(operations, "GET", path));
	expect([fifth.slug, fifth.extensions?.policy]).toEqual(["rate-limit-exceeded", "reconciles-at-once"]);
	gone.abort();
	for (const batch of batches) expect((await batch).slug).toBe("service-unavailable");
	const byNumber = `/v1/reconcile/x?queries=${encodeURIComponent('{"0":{"query":"131880681"}}')}`;
	expect((await ask(operations, "GET", byNumber)).status).toBe(200);
	expect([...shown]).toEqual([]);
	expect((await ask(operations, "GET", path)).status).toBe(200);
	expect([...shown]).toEqual([keyOf("131880681")]);
});
