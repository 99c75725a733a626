import { describe, expect, test } from "bun:test";
import { checkSchema, type Plan } from "../../src/operation";
import { exampleEntry, type RegistryEntry } from "../../src/registry/entry";
import { createVocabularyOfRun } from "../../src/registry/fuzzy/vocabulary-of-run";
import { batchOperations } from "../../src/registry/routes-batch";
import type { RegistryView } from "../../src/registry/view";
import { ask, problemOf, runRow, viewOf } from "./in-memory";

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
const operations = batchOperations({
	takeView: () => view,
	vocabularyOf: createVocabularyOfRun(),
	clock: { now: () => now },
});

const BATCH = "/v1/authority/document:batch";
const MATCH = "/v1/authority/document:match";
const post = (path: string, body: unknown, options: { readonly plan?: Plan } = {}) =>
	ask(operations, "POST", path, { body, ...options });

async function without<T>(work: () => Promise<T>): Promise<T> {
	const before = view;
	view = undefined;
	try {
		return await work();
	} finally {
		view = before;
	}
}

describe("POST /v1/authority/document:batch", () => {
	test("answers an outcome for each number in the order asked, from one run", async () => {
		const documents = ["131880681", "999999999", "12", "1-31-88068-1", "", "abc", "99900000001", "131880681"];
		const answer = await post(BATCH, { documents });
		expect(answer.status).toBe(200);
		expect(answer.headers.get("cache-control")).toBe("no-store");
		expect(answer.headers.get("x-registry-run-id")).toBe(runRow().runId);
		expect(answer.headers.get("x-registry-stale")).toBeNull();
		expect(await answer.json()).toEqual({
			results: [
				{ document: "131880681", outcome: "found", entry: exampleEntry },
				{ document: "999999999", outcome: "not_found" },
				{ document: "12", outcome: "invalid" },
				{ document: "1-31-88068-1", outcome: "found", entry: exampleEntry },
				{ document: "", outcome: "invalid" },
				{ document: "abc", outcome: "invalid" },
				{ document: "99900000001", outcome: "found", entry: ENTRIES[4] },
				{ document: "131880681", outcome: "found", entry: exampleEntry },
			],
			run_id: runRow().runId,
		});
	});

	test("never mixes two runs, though the next one is swapped in while the body is read", async () => {
		const first = viewOf(ENTRIES);
		const second = viewOf(
			ENTRIES.map((e) => ({ ...e, name: "OTRO" })),
			runRow({ runId: "0192ef00-0000-7000-8000-000000000002" }),
		);
		for (let i = 0; i < 50; i++) {
			view = i % 2 === 0 ? first : second;
			const asked = post(BATCH, { documents: ENTRIES.map((e) => e.rnc) });
			view = i % 2 === 0 ? second : first;
			const body = (await (await asked).json()) as { run_id: string; results: { entry: RegistryEntry }[] };
			const isSecond = body.run_id === second.run.runId;
			expect(body.results.every((result) => (result.entry.name === "OTRO") === isSecond)).toBe(true);
		}
		view = first;
	});

	test.each([
		["demo", 10],
		["free", 100],
		["starter", 500],
		["business", 1_000],
		["enterprise", 1_000],
		["unlimited", 1_000],
	] as const)("takes from the plan %s up to %i numbers", async (plan, maximum) => {
		const documents = Array.from({ length: maximum }, (_, i) => String(990_000_000 + i));
		const answer = await post(BATCH, { documents }, { plan });
		expect(((await answer.json()) as { results: unknown[] }).results).toHaveLength(maximum);
		const problem = await problemOf(post(BATCH, { documents: [...documents, "1"] }, { plan }));
		expect(problem.slug).toBe("validation-error");
		expect(problem.faults).toMatchObject([{ pointer: "/documents", code: "too-many", maximum }]);
	});

	test("tells all faults of the body at once", async () => {
		const problem = await problemOf(post(BATCH, { documents: ["131880681", 131880681, null], extra: 1 }));
		expect(problem.faults.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
			"/documents/1 wrong-type",
			"/documents/2 wrong-type",
			"/extra unknown-field",
		]);
		expect((await problemOf(post(BATCH, {}))).faults).toMatchObject([{ pointer: "/documents", code: "required" }]);
		expect((await problemOf(post(BATCH, { documents: [] }))).faults).toMatchObject([{ code: "too-few" }]);
		expect((await problemOf(ask(operations, "POST", BATCH, { raw: "{" }))).slug).toBe("malformed-json");
	});

	test("answers registry-unavailable, not not_found, while nothing is loaded, and faults before that", async () => {
		await without(async () => {
			const problem = await problemOf(post(BATCH, { documents: ["131880681"] }));
			expect(problem.slug).toBe("registry-unavailable");
			expect(problem.headers).toEqual({ "retry-after": "5", "cache-control": "no-store" });
			expect((await problemOf(post(BATCH, {}))).slug).toBe("validation-error");
		});
	});

	test("tells when the data is stale", async () => {
		view = viewOf(ENTRIES, runRow({ confirmedAt: new Date(now.getTime() - 129_601_000) }));
		expect((await post(BATCH, { documents: ["1"] })).headers.get("x-registry-stale")).toBe("true");
		view = viewOf(ENTRIES);
	});
});

type MatchBody = {
	run_id: string;
	results: { name: string; matches: { score: number; field: string; entry: RegistryEntry }[] }[];
};
const match = async (body: unknown) => (await (await post(MATCH, body)).json()) as MatchBody;

describe("POST /v1/authority/document:match", () => {
	test("answers the best entries of each name in the order asked", async () => {
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

	test("puts active entries first among equals and keeps to the limit", async () => {
		const both = await match({ names: ["CONSTRUCTORA LOMA VERDE SRL"] });
		expect(both.results[0]?.matches.map(({ score, entry: e }) => [score, e.rnc])).toEqual([
			[1, "990000002"],
			[1, "990000003"],
		]);
		const one = await match({ names: ["CONSTRUCTORA LOMA VERDE SRL"], limit: 1 });
		expect(one.results[0]?.matches).toHaveLength(1);
	});

	test("leaves out what scores less than asked", async () => {
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
		const problem = await problemOf(post(MATCH, body));
		expect(problem.slug).toBe("validation-error");
		expect(problem.faults.map(({ pointer, code }) => `${pointer} ${code}`)).toEqual([fault]);
	});

	test("takes ten names with the demo key and a hundred with others", async () => {
		const names = (count: number) => ({ names: new Array(count).fill("PEREZ") });
		expect((await post(MATCH, names(10), { plan: "demo" })).status).toBe(200);
		expect((await problemOf(post(MATCH, names(11), { plan: "demo" }))).faults).toMatchObject([{ maximum: 10 }]);
		expect((await post(MATCH, names(100), { plan: "free" })).status).toBe(200);
	});

	test("answers registry-unavailable while nothing is loaded", async () => {
		await without(async () => {
			expect((await problemOf(post(MATCH, { names: ["PEREZ"] }))).slug).toBe("registry-unavailable");
		});
	});
});

test("the declared operations give examples and answers that fit their own schemas", async () => {
	for (const operation of operations) {
		expect([operation.credentials.key, operation.credentials.bearer]).toEqual(["required", "optional"]);
		expect(operation.scope).toBe("registry:read");
		const { schema, example } = operation.answers[200] ?? {};
		if (!schema || !operation.body) throw new Error(`${operation.id} declares no answer or no body`);
		expect(checkSchema(schema, example)).toEqual([]);
		expect(checkSchema(operation.body.schema, operation.body.example)).toEqual([]);
		const answer = await post(operation.path, operation.body.example);
		expect(checkSchema(schema, await answer.json())).toEqual([]);
	}
});
