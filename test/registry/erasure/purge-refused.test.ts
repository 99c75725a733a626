/** Refused requests change nothing, so all tests share one registry. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Problem } from "../../../src/platform/problem";
import type { Registry } from "../../../src/registry";
import { openTestDatabase, type TestDatabase } from "../../support/database";
import { openOn, SAMPLE, send } from "../build";

const request = {
	legal_basis: "arco-cancellation",
	request_reference: "ARCO-2026-00017",
	requested_by: "dpo@example.do",
	reason: "Data subject request, Law 172-13",
};
let database: TestDatabase;
let registry: Registry;

beforeAll(async () => {
	database = await openTestDatabase();
	registry = await openOn(database.sql, SAMPLE);
});
afterAll(async () => {
	await registry.close();
	await database.close();
});

test.each<[string, string, unknown, string]>([
	["a number of 8 digits", "12345678", request, "invalid-document-format"],
	["no body", "990000011", undefined, "malformed-json"],
	["an empty object", "990000011", {}, "validation-error"],
	["an unknown ground", "990000011", { ...request, legal_basis: "whim" }, "validation-error"],
	["an empty reference", "990000011", { ...request, request_reference: "" }, "validation-error"],
	["an unknown member", "990000011", { ...request, extra: 1 }, "validation-error"],
	[
		"the number itself in a member that is kept",
		"990000011",
		{ ...request, reason: "RNC 9-90-00001-1" },
		"validation-error",
	],
])("%s is refused and nothing is erased", async (_, document, body, slug) => {
	const path = `/v1/authority/document/${document}:purge`;
	const headers = { "content-type": "application/json" };
	const problem = await send(registry, "POST", path, { body, headers }).catch((error: unknown) => error);
	if (!(problem instanceof Problem)) throw new Error(`expected a Problem, got ${problem}`);
	expect(problem.slug as string).toBe(slug);
	expect(problem.headers).toEqual({ "cache-control": "no-store" });
	expect(registry.lookup({ digits: "990000011", kind: "rnc" })).toBeDefined();
	const [row] = await database.sql`select count(*)::int as n from registry_tombstones`;
	expect(row?.n).toBe(0);
});

test("an unknown erasure is not found", async () => {
	for (const id of ["x", "0192f160-7c1d-7e2f-9a3b-4c5d6e7f8091", "../purges"]) {
		const problem = await send(registry, "GET", `/v1/authority/purges/${encodeURIComponent(id)}`).catch(
			(error: unknown) => error,
		);
		if (!(problem instanceof Problem)) throw new Error(`expected a Problem, got ${problem}`);
		expect(problem.slug).toBe("not-found");
	}
});
