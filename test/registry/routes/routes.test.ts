import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { checkSchema } from "../../../src/platform/operation";
import { Problem } from "../../../src/platform/problem";
import type { Registry, RegistryStatus } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { bodyOf, openOn, SAMPLE, send, settableClock } from "../build";

const clock = settableClock();
let database: TestDatabase;
let emptyDatabase: TestDatabase;
let registry: Registry;
let empty: Registry;

beforeAll(async () => {
	database = await openTestDatabase();
	emptyDatabase = await openTestDatabase();
	registry = await openOn(database.sql, SAMPLE, { clock });
	empty = await openOn(emptyDatabase.sql, `${SAMPLE}.missing`, { clock });
});
afterAll(async () => {
	await registry.close();
	await empty.close();
	await database.close();
	await emptyDatabase.close();
});

const get = (path: string, headers?: Record<string, string>, from = registry) =>
	send(from, "GET", path, headers ? { headers } : {});

type SearchBody = {
	items: { rnc: string; status: string }[];
	count: number;
	partial: boolean;
	next?: string;
	didYouMean?: string;
};
const find = (parameters: Record<string, string>) => bodyOf<SearchBody>(get(search(parameters)));

async function problemOf(answer: Promise<Response>): Promise<Problem> {
	const problem = await answer.then(
		() => undefined,
		(error: unknown) => error,
	);
	if (!(problem instanceof Problem)) throw new Error(`expected a Problem, got ${problem}`);
	return problem;
}

const FERRETERIA = "/v1/authority/document/131880681";
const search = (parameters: Record<string, string>) =>
	`/v1/authority/document:search?${new URLSearchParams(parameters)}`;

describe("GET /v1/authority/document/{document}", () => {
	test("returns the entry, cacheable, with its run", async () => {
		const answer = await get(FERRETERIA);
		expect(answer.status).toBe(200);
		expect(await answer.text()).toBe(
			'{"rnc":"131880681","name":"FERRETERIA EL PROGRESO SRL","trade_name":"EL PROGRESO","economic_activity":"VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA","status":"ACTIVO","payment_regime":"NORMAL"}',
		);
		expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
		expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
		expect(answer.headers.get("x-registry-run-id")).toBe(registry.runId() ?? "");
		expect(answer.headers.get("x-registry-stale")).toBeNull();
		expect(answer.headers.get("etag")).toMatch(/^W\/"[0-9a-z]+"$/);
	});

	test("accepts hyphens, plain or percent-encoded", async () => {
		const plain = await (await get(FERRETERIA)).text();
		expect(await (await get("/v1/authority/document/1-31-88068-1")).text()).toBe(plain);
		expect(await (await get("/v1/authority/document/1%2D31%2D88068%2D1")).text()).toBe(plain);
	});

	test("answers 304 to a caller with the entry, and 200 if it is of another run", async () => {
		const etag = (await get(FERRETERIA)).headers.get("etag") ?? "";
		for (const sent of [etag, etag.slice(2), `"x", ${etag}`, "*"]) {
			const answer = await get(FERRETERIA, { "if-none-match": sent });
			expect(answer.status).toBe(304);
			expect(await answer.text()).toBe("");
			expect(answer.headers.get("etag")).toBe(etag);
			expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
		}
		const other = 'W/"0192f170-0000-7000-8000-000000000000"';
		expect((await get(FERRETERIA, { "if-none-match": other })).status).toBe(200);
	});

	test.each([
		"1",
		"12345678",
		"1234567890",
		"123456789012",
		"abc",
		"13188068X",
		"131.880.681",
		"１３１８８０６８１",
		"131880681:purge",
	])("refuses the form %p before anything else", async (text) => {
		for (const from of [registry, empty]) {
			const problem = await problemOf(get(`/v1/authority/document/${encodeURIComponent(text)}`, undefined, from));
			expect(problem.slug).toBe("invalid-document-format");
			expect(problem.headers).toEqual({ "cache-control": "no-store" });
		}
	});

	test("answers document-not-found, not to be stored, for an unknown number", async () => {
		const problem = await problemOf(get("/v1/authority/document/123456789"));
		expect(problem.slug).toBe("document-not-found");
		expect(problem.headers).toEqual({ "cache-control": "no-store" });
	});

	test("answers registry-unavailable, never 404, while nothing is loaded", async () => {
		for (const path of [FERRETERIA, search({ q: "ferreteria", field: "name" })]) {
			const problem = await problemOf(get(path, undefined, empty));
			expect(problem.status).toBe(503);
			expect(problem.slug).toBe("registry-unavailable");
			expect(problem.headers).toEqual({ "retry-after": "5", "cache-control": "no-store" });
		}
	});
});

describe("GET /v1/authority/document:search", () => {
	test("returns the specification's envelope without payment_regime", async () => {
		const answer = await get(search({ q: "ferretería el progreso", field: "name" }));
		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual({
			items: [
				{
					rnc: "131880681",
					name: "FERRETERIA EL PROGRESO SRL",
					trade_name: "EL PROGRESO",
					economic_activity: "VENTA AL POR MENOR DE ARTICULOS DE FERRETERIA",
					status: "ACTIVO",
				},
			],
			count: 1,
			partial: false,
		});
		expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
		expect(answer.headers.get("x-registry-run-id")).toBe(registry.runId() ?? "");
		const etag = answer.headers.get("etag") ?? "";
		const again = await get(search({ q: "ferretería el progreso", field: "name" }), { "if-none-match": etag });
		expect(again.status).toBe(304);
	});

	test("answers 200 with an empty page if nothing matches", async () => {
		const answer = await get(search({ q: "zzzzzz", field: "name" }));
		expect(await answer.json()).toEqual({ items: [], count: 0, partial: false });
	});

	test("returns 25 entries by default, and pages that join without repetition", async () => {
		const first = await find({ q: "com", field: "name" });
		expect(first).toMatchObject({ count: 25, partial: true });
		const seen: string[] = [];
		let next: string | undefined;
		do {
			const page: SearchBody = await find({ q: "com", field: "name", limit: "100", ...(next && { after: next }) });
			expect(page.count).toBe(page.items.length);
			expect(page.partial).toBe(page.next !== undefined);
			seen.push(...page.items.map((item) => item.rnc));
			next = page.next;
		} while (next);
		expect(seen.length).toBeGreaterThan(100);
		expect(new Set(seen).size).toBe(seen.length);
		expect(seen.slice(0, 25)).toEqual(first.items.map((item) => item.rnc));
	});

	test.each([
		["Ñ as N", { q: "doña melida", field: "name" }, "990000004"],
		["N as Ñ", { q: "DONA MELIDA", field: "name" }, "990000004"],
		["words in another order", { q: "srl caoba muebl", field: "name" }, "990000011"],
		["punctuation as space", { q: "peñon,eléctrica", field: "name" }, "990000020"],
		["a commercial name", { q: "cliente", field: "trade_name" }, "101010101"],
		["a document's beginning with hyphens", { q: "1-31-88", field: "document" }, "131880681"],
	])("finds %s", async (_, parameters, rnc) => {
		const { items } = await find(parameters);
		expect(items[0]?.rnc).toBe(rnc);
	});

	test("finds what misspelt words mean on request, and suggests it if nothing matches", async () => {
		const written = { q: "fereteria progeso", field: "name" };
		expect(await find(written)).toEqual({ items: [], count: 0, partial: false, didYouMean: "FERRETERIA PROGRESO" });
		const smart = await find({ ...written, mode: "smart" });
		expect(smart.items[0]?.rnc).toBe("131880681");
		expect(smart.next).toBeUndefined();
		expect(await find({ ...written, mode: "fuzzy" })).toEqual(smart);
		const peres = await find({ q: "peres", field: "name", mode: "fuzzy", limit: "100", status: "ACTIVO" });
		expect(peres.count).toBeGreaterThan(0);
		expect(peres.items.every((item) => item.status === "ACTIVO")).toBe(true);
		expect(await find({ ...written, q: "ferreteria", mode: "exact" })).toEqual(
			await find({ ...written, q: "ferreteria" }),
		);
	});

	test("filters by type and status", async () => {
		for (const [type, length] of [
			["rnc", 9],
			["cedula", 11],
		] as const) {
			const { items } = await find({ q: "rodriguez", field: "name", type, limit: "100" });
			expect(items.length).toBeGreaterThan(0);
			expect(items.every((item) => item.rnc.length === length)).toBe(true);
		}
		const { items } = await find({ q: "rodriguez", field: "name", status: "dado de baja" });
		expect(items.length).toBeGreaterThan(0);
		expect(items.every((item) => item.status === "DADO DE BAJA")).toBe(true);
	});

	test.each<[string, Record<string, string>, string, string]>([
		["no q", { field: "name" }, "#/query/q", "required"],
		["no field", { q: "ferreteria" }, "#/query/field", "required"],
		["an unknown field", { q: "ferreteria", field: "status" }, "#/query/field", "not-in-list"],
		["an unknown type", { q: "ferreteria", field: "name", type: "dni" }, "#/query/type", "not-in-list"],
		["an unknown parameter", { q: "ferreteria", field: "name", page: "2" }, "#/query/page", "unknown-parameter"],
		["an unknown mode", { q: "ferreteria", field: "name", mode: "sound" }, "#/query/mode", "not-in-list"],
		["misspelt numbers", { q: "131880", field: "document", mode: "fuzzy" }, "#/query/mode", "not-applicable"],
		[
			"pages of misspelt words",
			{ q: "peres", field: "name", mode: "fuzzy", after: "x.y" },
			"#/query/after",
			"not-applicable",
		],
		["two characters", { q: "fe", field: "name" }, "#/query/q", "too-short"],
		["a status of white space", { q: "fer", field: "name", status: " " }, "#/query/status", "blank"],
		["two characters in white space", { q: "  fe  ", field: "name" }, "#/query/q", "too-short"],
		["two characters and an accent", { q: "fe\u0301", field: "name" }, "#/query/q", "too-short"],
		["only punctuation", { q: "....", field: "name" }, "#/query/q", "too-short"],
		["two digits and a hyphen", { q: "1-3", field: "document" }, "#/query/q", "too-short"],
		["letters for a document", { q: "13A", field: "document" }, "#/query/q", "invalid-format"],
		["151 characters", { q: "x".repeat(151), field: "name" }, "#/query/q", "too-long"],
		["a forged cursor", { q: "ferreteria", field: "name", after: "x.y" }, "#/query/after", "invalid-cursor"],
		...["0", "101", "-1", "1e2", "0x10", "5.0", " 5", "05", "", "five", "1000"].map(
			(limit): [string, Record<string, string>, string, string] => [
				`the limit ${JSON.stringify(limit)}`,
				{ q: "ferreteria", field: "name", limit },
				"#/query/limit",
				"invalid-format",
			],
		),
	])("refuses %s", async (_, parameters, pointer, code) => {
		const problem = await problemOf(get(search(parameters)));
		expect(problem.slug).toBe("validation-error");
		expect(problem.faults).toContainEqual(expect.objectContaining({ pointer, code }));
		expect(problem.headers).toEqual({ "cache-control": "no-store" });
	});

	test("accepts three characters separated by punctuation", async () => {
		expect((await get(search({ q: "f.e.", field: "name" }))).status).toBe(200);
	});

	test("refuses a repeated parameter and reports all violations at once", async () => {
		const path = "/v1/authority/document:search?q=a&limit=5&limit=9&field=x";
		const problem = await problemOf(get(path));
		expect(problem.faults.map((fault) => fault.pointer).sort()).toEqual([
			"#/query/field",
			"#/query/limit",
			"#/query/q",
		]);
	});

	test("refuses the cursor of another query", async () => {
		const { next = "" } = await find({ q: "com", field: "name" });
		const problem = await problemOf(get(search({ q: "col", field: "name", after: next })));
		expect(problem.faults[0]?.code).toBe("invalid-cursor");
	});
});

describe("GET /v1/authority/registry/status", () => {
	test("returns the specification's members and fits its schema", async () => {
		const answer = await get("/v1/authority/registry/status");
		expect(answer.headers.get("cache-control")).toBe("no-store");
		const status = await bodyOf<RegistryStatus>(answer);
		expect(status).toMatchObject({ record_count: 2_000, age_seconds: 0, stale: false, run_id: registry.runId() ?? "" });
		expect(status.last_ingest).toBe(clock.now().toISOString());
		expect(status.source_etag).toMatch(/^".+"$/);
		expect(status.source_sha256).toMatch(/^[0-9a-f]{64}$/);
	});

	test("answers before the first ingest too", async () => {
		const answer = await get("/v1/authority/registry/status", undefined, empty);
		expect(answer.status).toBe(200);
		expect(await answer.json()).toMatchObject({ last_ingest: null, record_count: 0, age_seconds: null, stale: true });
	});

	test.each([
		[129_600, false],
		[129_601, true],
	])("at an age of %d s stale is %p, and the data's answers say so", async (seconds, stale) => {
		const at = clock.now();
		clock.advanceSeconds(seconds);
		const status = await bodyOf<RegistryStatus>(get("/v1/authority/registry/status"));
		expect(status).toMatchObject({ age_seconds: seconds, stale });
		for (const path of [FERRETERIA, search({ q: "ferreteria", field: "name" })]) {
			expect((await get(path)).headers.get("x-registry-stale")).toBe(stale ? "true" : null);
		}
		clock.set(at);
	});
});

describe("the declared operations", () => {
	test("have examples and answers that fit their schemas", async () => {
		for (const operation of registry.operations) {
			for (const answer of Object.values(operation.answers)) {
				// A file has no example.
				if (answer.schema && answer.schema.format !== "binary")
					expect(checkSchema(answer.schema, answer.example)).toEqual([]);
			}
			if (operation.body) expect(checkSchema(operation.body.schema, operation.body.example)).toEqual([]);
			for (const parameter of operation.parameters ?? []) {
				if (parameter.example !== undefined) expect(checkSchema(parameter.schema, parameter.example)).toEqual([]);
			}
		}
		const answers: [string, string][] = [
			["getDocument", FERRETERIA],
			["searchDocuments", search({ q: "com", field: "name" })],
			["getRegistryStatus", "/v1/authority/registry/status"],
		];
		for (const [id, path] of answers) {
			const schema = registry.operations.find((operation) => operation.id === id)?.answers[200]?.schema;
			if (!schema) throw new Error(`${id} declares no answer`);
			expect(checkSchema(schema, await (await get(path)).json())).toEqual([]);
		}
	});

	test("require the credentials and scopes of the registry", () => {
		const asked = registry.operations.map(({ id, credentials, scope }) => [
			id,
			credentials.key,
			credentials.bearer,
			scope,
		]);
		expect(asked).toEqual([
			["getDocument", "required", "optional", "registry:read"],
			["searchDocuments", "required", "optional", "registry:read"],
			["suggestDocuments", "required", "optional", "registry:read"],
			["batchDocuments", "required", "optional", "registry:read"],
			["getDocumentHistory", "required", "optional", "registry:read"],
			["matchDocuments", "required", "optional", "registry:read"],
			["getRegistryStatus", "required", "optional", "registry:read"],
			["listRegistryRuns", "required", "optional", "registry:read"],
			["listOperatorRuns", "required", "ignored", "admin"],
			["rollBackRegistry", "required", "ignored", "admin"],
			["listRegistryChanges", "required", "optional", "registry:read"],
			["listRegistryDownloads", "required", "optional", "registry:read"],
			["getRegistryDownload", "required", "optional", "registry:read"],
			["purgeDocument", "required", "required", "registry:purge"],
			["getPurge", "required", "optional", "registry:read"],
			["deletePurge", "required", "optional", "admin"],
			["attestDocument", "required", "optional", "registry:read"],
			["verifyAttestation", "ignored", "ignored", undefined],
			["getRegistryKeys", "ignored", "ignored", undefined],
			["createRegistryCheck", "required", "optional", "registry:read"],
			["getRegistryCheck", "required", "optional", "registry:read"],
			["downloadRegistryCheck", "required", "optional", "registry:read"],
			["deleteRegistryCheck", "required", "optional", "registry:read"],
			["createReconcileLink", "required", "optional", "registry:read"],
			["listReconcileLinks", "required", "optional", "registry:read"],
			["revokeReconcileLink", "required", "optional", "registry:read"],
			["getReconcileService", "ignored", "ignored", undefined],
			["postReconcileQueries", "ignored", "ignored", undefined],
			["suggestReconcileEntities", "ignored", "ignored", undefined],
			["suggestReconcileProperties", "ignored", "ignored", undefined],
			["listReconcileProperties", "ignored", "ignored", undefined],
			["previewReconcileEntity", "ignored", "ignored", undefined],
			["listWatchlists", "required", "optional", "watchlists:read"],
			["createWatchlist", "required", "optional", "watchlists:write"],
			["getWatchlist", "required", "optional", "watchlists:read"],
			["patchWatchlist", "required", "optional", "watchlists:write"],
			["deleteWatchlist", "required", "optional", "watchlists:write"],
			["listWatchlistDocuments", "required", "optional", "watchlists:read"],
			["putWatchlistDocuments", "required", "optional", "watchlists:write"],
			["addWatchlistDocuments", "required", "optional", "watchlists:write"],
			["removeWatchlistDocuments", "required", "optional", "watchlists:write"],
			["listWatchlistChanges", "required", "optional", "watchlists:read"],
		]);
	});
});
