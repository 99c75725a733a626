import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { checkSchema } from "../../../src/platform/operation";
import { newId } from "../../../src/platform/values";
import { listRuns } from "../../../src/registry/routes/runs";
import { insertRun } from "../../../src/registry/runs/store";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { ask, problemOf, runRow } from "../in-memory";

let database: TestDatabase;
beforeEach(async () => {
	database = await openTestDatabase();
});
afterEach(() => database.close());

const get = (path: string) => ask([listRuns({ sql: database.sql })], "GET", path);

describe("GET /v1/authority/registry/runs", () => {
	type Runs = { runs: { run_id: string; result: string }[]; count: number; partial: boolean; next?: string };
	const runs = async (parameters = "") =>
		(await (await get(`/v1/authority/registry/runs${parameters}`)).json()) as Runs;

	test("lists runs newest first, page by page, even before anything is loaded", async () => {
		expect(await runs()).toEqual({ runs: [], count: 0, partial: false });
		const ids: string[] = [];
		for (const result of ["ok", "failed", "refused", "ok", "ok"] as const) {
			const run = runRow({ runId: newId(), result, reason: "the file /srv/secret/rnc.zip cannot be read" });
			await database.sql.begin((tx) => insertRun(tx, run));
			ids.unshift(run.runId);
		}
		const first = await runs("?limit=3");
		expect(first).toMatchObject({ count: 3, partial: true, next: ids[2] ?? "" });
		const rest = await runs(`?limit=3&after=${first.next}`);
		expect(rest).toMatchObject({ count: 2, partial: false });
		expect(rest.next).toBeUndefined();
		expect([...first.runs, ...rest.runs].map((run) => run.run_id)).toEqual(ids);
		expect(rest.runs.map((run) => run.result)).toEqual(["failed", "ok"]);
	});

	test("omits what is for the operator", async () => {
		const run = runRow({ runId: newId(), result: "failed", reason: "/srv/secret", source: "/srv/source.zip" });
		await database.sql.begin((tx) => insertRun(tx, run));
		const text = JSON.stringify(await runs());
		expect(text).not.toContain("/srv");
	});

	test.each([
		["after=x", "#/query/after", "invalid-cursor"],
		["after=", "#/query/after", "too-short"],
		["limit=101", "#/query/limit", "invalid-format"],
		["limit=00", "#/query/limit", "invalid-format"],
		["x=1", "#/query/x", "unknown-parameter"],
	])("refuses %s", async (query, pointer, code) => {
		const problem = await problemOf(get(`/v1/authority/registry/runs?${query}`));
		expect(problem.faults).toMatchObject([{ pointer, code }]);
	});
});

test("has examples and answers that fit its schemas", async () => {
	await database.sql.begin((tx) => insertRun(tx, runRow({ runId: newId() })));
	const operation = listRuns({ sql: database.sql });
	expect([operation.credentials.key, operation.credentials.bearer]).toEqual(["required", "optional"]);
	expect(operation.scope).toBe("registry:read");
	const { schema, example } = operation.answers[200] ?? {};
	if (!schema) throw new Error(`${operation.id} declares no answer`);
	expect(checkSchema(schema, example)).toEqual([]);
	expect(checkSchema(schema, await (await get(operation.path)).json())).toEqual([]);
	for (const parameter of operation.parameters ?? []) {
		if (parameter.example !== undefined) expect(checkSchema(parameter.schema, parameter.example)).toEqual([]);
	}
});
