import { describe, expect, test } from "bun:test";
import { checkSchema, type Plan } from "../../../src/platform/operation";
import { exampleEntry, type RegistryEntry } from "../../../src/registry/entry";
import { createSlices } from "../../../src/registry/match/slices";
import { matchDocuments } from "../../../src/registry/routes/match";
import type { RegistryView } from "../../../src/registry/runs/current";
import { createVocabularyCache } from "../../../src/registry/search/vocabulary";
import { ask, problemOf, runRow, viewOf } from "../in-memory";

const entry = (members: Partial<RegistryEntry>): RegistryEntry => ({ ...exampleEntry, ...members });
const ENTRIES = [
	exampleEntry,
	entry({ rnc: "990000001", name: "PANADERIA LA ESPIGA SRL", trade_name: "LA ESPIGA" }),
	entry({ rnc: "990000002", name: "CONSTRUCTORA LOMA VERDE SRL", trade_name: "" }),
	entry({ rnc: "990000003", name: "CONSTRUCTORA LOMA VERDE SRL", trade_name: "", status: "SUSPENDIDO" }),
	entry({ rnc: "99900000001", name: "JUAN PEREZ RODRIGUEZ", trade_name: "" }),
];
const now = new Date("2026-11-20T12:00:00.000Z");
let view: RegistryView | undefined = viewOf(ENTRIES);
const operation = matchDocuments({
	takeView: () => view,
	vocabularyFor: createVocabularyCache(),
	slices: createSlices(),
	clock: { now: () => now },
	harvest: { admit: () => undefined },
});
const post = (body: unknown, options: { readonly plan?: Plan; readonly signal?: AbortSignal } = {}) =>
	ask([operation], "POST", "/v1/authority/document:match", { body, ...options });

type MatchBody = {
	run_id: string;
	results: { name: string; matches: { score: number; field: string; entry: RegistryEntry }[] }[];
};
const match = async (body: unknown) => (await (await post(body)).json()) as MatchBody;

describe("POST /v1/authority/document:match", () => {
	test("returns the best entries of each name in the order of the request", async () => {
		const names = ["Fereteria El Progreso, S.R.L.", "Rodriguez Perez Juan", "la espiga", "Nadie Conocido", "..."];
		const body = await match({ names });
		expect(body.run_id).toBe(runRow().runId);
		expect(body.results.map(({ name }) => name)).toEqual(names);
		const best = body.results.map(({ matches }) => matches[0] && [matches[0].entry.rnc, matches[0].field]);
		expect(best).toEqual([
			["131880681", "name"],
			["99900000001", "name"],
			["990000001", "trade_name"],
			undefined,
			undefined,
		]);
		expect(body.results[0]?.matches[0]?.score).toBeGreaterThan(0.9);
		expect(body.results[1]?.matches[0]?.score).toBe(1);
	});

	test("puts active entries first among equals and respects the limit", async () => {
		const both = await match({ names: ["CONSTRUCTORA LOMA VERDE SRL"] });
		expect(both.results[0]?.matches.map(({ score, entry: e }) => [score, e.rnc])).toEqual([
			[1, "990000002"],
			[1, "990000003"],
		]);
		const one = await match({ names: ["CONSTRUCTORA LOMA VERDE SRL"], limit: 1 });
		expect(one.results[0]?.matches).toHaveLength(1);
	});

	test("omits entries below the minimum score", async () => {
		const names = ["CONSTRUCTORA LOMA VERDES"];
		expect((await match({ names, min_score: 1 })).results[0]?.matches).toEqual([]);
		expect((await match({ names, min_score: 0.5 })).results[0]?.matches).toHaveLength(2);
	});

	test.each<[string, unknown, string]>([
		["no names", {}, "/names required"],
		["an empty list", { names: [] }, "/names too-few"],
		["101 names", { names: new Array(101).fill("PEREZ") }, "/names too-many"],
		["an empty name", { names: [""] }, "/names/0 too-short"],
		["a very long name", { names: ["X".repeat(251)] }, "/names/0 too-long"],
		["a name that is a number", { names: [1] }, "/names/0 wrong-type"],
		["a score below one half", { names: ["PEREZ"], min_score: 0.49 }, "/min_score too-small"],
		["a score above 1", { names: ["PEREZ"], min_score: 1.01 }, "/min_score too-large"],
		["a score as text", { names: ["PEREZ"], min_score: "0.8" }, "/min_score wrong-type"],
		["a limit of 0", { names: ["PEREZ"], limit: 0 }, "/limit too-small"],
		["a limit of 11", { names: ["PEREZ"], limit: 11 }, "/limit too-large"],
		["half a limit", { names: ["PEREZ"], limit: 1.5 }, "/limit wrong-type"],
	])("refuses %s", async (_, body, fault) => {
		const problem = await problemOf(post(body));
		expect(problem.slug).toBe("validation-error");
		expect(problem.faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
	});

	test("allows ten names with the demo key and a hundred with others", async () => {
		const names = (count: number) => ({ names: new Array(count).fill("PEREZ") });
		expect((await post(names(10), { plan: "demo" })).status).toBe(200);
		expect((await problemOf(post(names(11), { plan: "demo" }))).faults).toMatchObject([{ maximum: 10 }]);
		expect((await post(names(100), { plan: "free" })).status).toBe(200);
	});

	test("omits entries that are erased while names are compared", async () => {
		const erased = new Set<string>();
		const found = viewOf(ENTRIES, runRow(), (digits) => erased.has(digits));
		view = {
			...found,
			search: (query) => {
				const hits = found.search(query);
				if (hits.entries.some(({ rnc }) => rnc === "990000001")) erased.add("990000001");
				return hits;
			},
		};
		expect(
			(await match({ names: ["LA ESPIGA", "Rodriguez Perez Juan"] })).results.map(({ matches }) => matches.length),
		).toEqual([0, 1]);
		view = viewOf(ENTRIES);
	});

	test("limits a caller to four requests in progress without affecting others", async () => {
		const names = ["Fereteria El Progreso, S.R.L."];
		const asked = Array.from({ length: 6 }, () => post({ names }));
		const answers = await Promise.allSettled(asked);
		expect(answers.filter(({ status }) => status === "fulfilled")).toHaveLength(4);
		for (const [i, { status }] of answers.entries()) {
			if (status === "rejected")
				expect((await problemOf(asked[i] as Promise<Response>)).slug).toBe("rate-limit-exceeded");
		}
		expect((await post({ names })).status).toBe(200);
	});

	test("ends requests of a disconnected caller, and those of others go on", async () => {
		const gone = new AbortController();
		gone.abort();
		const left = post({ names: ["PEREZ"] }, { signal: gone.signal });
		expect((await problemOf(left)).slug).toBe("service-unavailable");
		expect((await post({ names: ["PEREZ"] })).status).toBe(200);
	});

	test("answers registry-unavailable while nothing is loaded", async () => {
		view = undefined;
		expect((await problemOf(post({ names: ["PEREZ"] }))).slug).toBe("registry-unavailable");
		view = viewOf(ENTRIES);
	});
});

test("has examples and answers that fit its schemas", async () => {
	expect([operation.credentials.key, operation.credentials.bearer]).toEqual(["required", "optional"]);
	expect(operation.scope).toBe("registry:read");
	const { schema, example } = operation.answers[200] ?? {};
	if (!schema || !operation.body) throw new Error(`${operation.id} declares no answer or no body`);
	expect(checkSchema(schema, example)).toEqual([]);
	expect(checkSchema(operation.body.schema, operation.body.example)).toEqual([]);
	expect(checkSchema(schema, await (await post(operation.body.example)).json())).toEqual([]);
});
