import { describe, expect, test } from "bun:test";
import type { Sql } from "../../../src/platform/database";
import { checkSchema, type Plan } from "../../../src/platform/operation";
import { exampleEntry, type RegistryEntry } from "../../../src/registry/entry";
import { createTombstones } from "../../../src/registry/erasure/tombstones";
import { batchDocuments } from "../../../src/registry/routes/documents";
import { createCurrent, type RegistryView } from "../../../src/registry/runs/current";
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
const operation = batchDocuments({
	...{ takeView: () => view, clock: { now: () => now }, current: createCurrent() },
	tombstones: createTombstones((() => undefined) as unknown as Sql, new Uint8Array(32)),
});
const post = (body: unknown, options: { readonly plan?: Plan } = {}) =>
	ask([operation], "POST", "/v1/authority/document:batch", { body, ...options });

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
	test("returns an outcome for each number in order, from one run", async () => {
		const documents = ["131880681", "999999999", "12", "1-31-88068-1", "", "abc", "99900000001", "131880681"];
		const answer = await post({ documents });
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

	test("gives an invalid or very long number its own outcome", async () => {
		const documents = ["131880681\0", "\ud800", "131880681\udfff", "\uffff", "9".repeat(5_000), "131880681"];
		const answer = await post({ documents });
		expect(answer.status).toBe(200);
		const invalid = documents.slice(0, -1).map((document) => ({ document, outcome: "invalid" }));
		expect(await answer.json()).toEqual({
			results: [...invalid, { document: "131880681", outcome: "found", entry: exampleEntry }],
			run_id: runRow().runId,
		});
	});

	test("still refuses an unknown member, whatever its name", async () => {
		const problem = await problemOf(post({ documents: ["131880681"], "a\0\ud800": "\0" }));
		expect([problem.slug, problem.faults.map(({ code }) => code)]).toEqual(["validation-error", ["unknown-field"]]);
	});

	test("never mixes two runs, even if a new one arrives while the body is read", async () => {
		const first = viewOf(ENTRIES);
		const second = viewOf(
			ENTRIES.map((e) => ({ ...e, name: "OTRO" })),
			runRow({ runId: "0192ef00-0000-7000-8000-000000000002" }),
		);
		for (let i = 0; i < 50; i++) {
			view = i % 2 === 0 ? first : second;
			const asked = post({ documents: ENTRIES.map((e) => e.rnc) });
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
	] as const)("allows the plan %s up to %i numbers", async (plan, maximum) => {
		const documents = Array.from({ length: maximum }, (_, i) => String(990_000_000 + i));
		const answer = await post({ documents }, { plan });
		expect(((await answer.json()) as { results: unknown[] }).results).toHaveLength(maximum);
		const problem = await problemOf(post({ documents: [...documents, "1"] }, { plan }));
		expect(problem.slug).toBe("validation-error");
		expect(problem.faults).toMatchObject([{ pointer: "/documents", code: "too-many", maximum }]);
	});

	test("reports all violations of the body at once", async () => {
		const problem = await problemOf(post({ documents: ["131880681", 131880681, null], extra: 1 }));
		expect(problem.faults.map(({ pointer, code }) => `${pointer} ${code}`).sort()).toEqual([
			"/documents/1 wrong-type",
			"/documents/2 wrong-type",
			"/extra unknown-field",
		]);
		expect((await problemOf(post({}))).faults).toMatchObject([{ pointer: "/documents", code: "required" }]);
		expect((await problemOf(post({ documents: [] }))).faults).toMatchObject([{ code: "too-few" }]);
		expect((await problemOf(ask([operation], "POST", operation.path, { raw: "{" }))).slug).toBe("malformed-json");
	});

	test("answers registry-unavailable, not not_found, while nothing is loaded", async () => {
		await without(async () => {
			const problem = await problemOf(post({ documents: ["131880681"] }));
			expect(problem.slug).toBe("registry-unavailable");
			expect(problem.headers).toEqual({ "retry-after": "5", "cache-control": "no-store" });
			expect((await problemOf(post({}))).slug).toBe("validation-error");
		});
	});

	test("reports stale data", async () => {
		view = viewOf(ENTRIES, runRow({ confirmedAt: new Date(now.getTime() - 129_601_000) }));
		expect((await post({ documents: ["1"] })).headers.get("x-registry-stale")).toBe("true");
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
