import { afterAll, beforeAll, expect, test } from "bun:test";
import { DEMO_TENANT_ID } from "../../src/identity/auth";
import type { Call } from "../../src/platform/operation";
import { Problem } from "../../src/platform/problem";
import { type Environment, newId, systemClock } from "../../src/platform/values";
import { sandboxOperations } from "../../src/sandbox/clock";
import { openTestDatabase, type TestDatabase } from "../support/database";

let database: TestDatabase;
beforeAll(async () => {
	database = await openTestDatabase();
}, 60_000);
afterAll(() => database.close());

const operationsOf = (environment: Environment) =>
	sandboxOperations({ sql: database.sql, clock: systemClock, environment, wake: () => undefined });

async function refusalOf(environment: Environment, tenantId: string): Promise<Problem> {
	const [operation] = operationsOf(environment);
	if (!operation) throw new Error("there is no such operation");
	const request = new Request("https://api.example/v1/sandbox/clock", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: '{"advance":"1h"}',
	});
	const principal = { environment, plan: "free", ownerId: null, tenantId, scopes: new Set<string>() } as const;
	const call: Call = {
		...{ request, operation, principal, requestId: "", remoteAddress: "", params: {} },
		url: new URL(request.url),
	};
	try {
		await operation.handle(call);
	} catch (error) {
		if (error instanceof Problem) return error;
		throw error;
	}
	throw new Error("expected a refusal");
}

test("movable clocks exist in the sandboxes only", () => {
	expect(operationsOf("sandbox").map(({ path }) => path)).toEqual(["/v1/sandbox/clock"]);
	expect(operationsOf("public-sandbox")).toHaveLength(1);
	expect(operationsOf("production")).toEqual([]);
	expect(operationsOf("staging")).toEqual([]);
});

test("the shared demo company of the public sandbox keeps the real time", async () => {
	expect((await refusalOf("public-sandbox", DEMO_TENANT_ID)).slug).toBe("forbidden");
});

test("a tenant without a company has no clock", async () => {
	const problem = await refusalOf("public-sandbox", newId());
	expect(problem.slug).toBe("tenant-config-missing");
	expect(problem.extensions).toEqual({ missing: ["company"] });
});
