import { describe, expect, test } from "bun:test";
import { checkSchema } from "../../../src/platform/operation";
import { exampleEntry } from "../../../src/registry/entry";
import { createSlices } from "../../../src/registry/match/slices";
import { suggestDocuments } from "../../../src/registry/routes/suggest";
import { createVocabularyCache } from "../../../src/registry/search/vocabulary";
import { createSuggest, type Suggestion } from "../../../src/registry/suggest/suggest";
import { ask, problemOf, runRow, viewOf } from "../in-memory";

const entry = (rnc: string, name: string, trade_name = "", status = "ACTIVO") => ({
	...{ ...exampleEntry, rnc, name, trade_name, status },
});
const ENTRIES = [
	exampleEntry,
	entry("990000001", "PANADERIA LA ESPIGA SRL", "LA ESPIGA"),
	entry("990000002", "MULTISERVICIOS ROSARIO EIRL", "TALLERES PEÑA"),
	entry("990000003", "FERRETERIA PROGRESO SA", "", "SUSPENDIDO"),
	entry("99900000001", "JUAN PEREZ FERREIRA"),
	entry("990000247", "TECNOLOGIA 24/7 SRL"),
];
const erased = new Set<string>();
const view = viewOf(ENTRIES, runRow(), (digits) => erased.has(digits));
let vocabulariesAsked = 0;
const vocabularyFor = createVocabularyCache();
const suggest = createSuggest({
	vocabularyFor: (of) => {
		vocabulariesAsked++;
		return vocabularyFor(of);
	},
	slices: createSlices(),
});
const operation = suggestDocuments({
	...{ takeView: () => view, suggest },
	clock: { now: () => new Date() },
	harvest: { admit: () => undefined },
});
const get = (query: string) => ask([operation], "GET", `/v1/authority/document:suggest?${query}`);
type Body = { suggestions: Suggestion[]; count: number; partial: boolean; run_id: string };
const find = async (q: string, more = "") => (await (await get(`q=${encodeURIComponent(q)}${more}`)).json()) as Body;
const numbersOf = async (q: string, more = "") => (await find(q, more)).suggestions.map(({ rnc }) => rnc);

describe("GET /v1/authority/document:suggest", () => {
	test("suggests entries with the places of the words, and may be cached", async () => {
		const answer = await get("q=ferr%20pro&limit=1");
		expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
		const body = await answer.json();
		const schema = operation.answers[200]?.schema;
		if (!schema) throw new Error("the answer has no schema");
		expect(checkSchema(schema, body)).toEqual([]);
		expect(body).toEqual({
			suggestions: [
				{
					rnc: "131880681",
					name: "FERRETERIA EL PROGRESO SRL",
					trade_name: "EL PROGRESO",
					status: "ACTIVO",
					field: "name",
					highlight: [
						[0, 4],
						[14, 17],
					],
				},
			],
			count: 1,
			partial: true,
			run_id: runRow().runId,
		});
	});

	test("two letters suffice, and the field is the name that has them", async () => {
		expect((await find("pe")).suggestions.map(({ rnc, field }) => [rnc, field])).toEqual([
			["990000002", "trade_name"],
			["99900000001", "name"],
		]);
	});

	test("three digits are the start of a number, or else of a word", async () => {
		expect((await find("131-8")).suggestions).toMatchObject([
			{ rnc: "131880681", field: "document", highlight: [[0, 4]] },
		]);
		expect(await numbersOf("247")).toEqual(["990000247"]);
		expect(await numbersOf("24")).toEqual(["990000247"]);
	});

	test("words are found joined and split without a vocabulary, misspelt ones with it", async () => {
		expect(await numbersOf("multi serv")).toEqual(["990000002"]);
		expect(await numbersOf("ferreteriaprogr")).toContain("990000003");
		expect(vocabulariesAsked).toBe(0);
		expect(await numbersOf("fereteria progrezo")).toContain("131880681");
		expect(vocabulariesAsked).toBe(1);
	});

	test("filters hold", async () => {
		expect(await numbersOf("ferre", "&type=cedula")).toEqual(["99900000001"]);
		expect(await numbersOf("ferre", "&status=suspendido")).toEqual(["990000003"]);
	});

	test("misspelt entries that were erased meanwhile are omitted", async () => {
		const answer = numbersOf("fereteria progrezo");
		erased.add("131880681");
		expect(await answer).not.toContain("131880681");
		erased.clear();
	});

	test.each(["q=a", "q=..", "q=ab&limit=11", "q=ab&limit=0", `q=${"a".repeat(81)}`, "q=ab&field=name", "limit=1"])(
		"refuses %s",
		async (query) => expect((await problemOf(get(query))).slug).toBe("validation-error"),
	);
});
