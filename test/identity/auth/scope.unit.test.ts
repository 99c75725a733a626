import { expect, test } from "bun:test";
import { DEFAULT_SCOPES, requireScope } from "../../../src/identity/auth";
import { intersect, splitScope } from "../../../src/identity/auth/scope";
import { type Principal, SCOPES } from "../../../src/platform/operation";
import { problemOf } from "./support/access";

const principal = (...scopes: string[]): Principal => ({
	environment: "sandbox",
	plan: "free",
	ownerId: null,
	scopes: new Set(scopes),
});

test("a caller with the scope passes, and another learns which one is missing", async () => {
	requireScope(principal("invoices:read"), "invoices:read");
	const problem = await problemOf((async () => requireScope(principal("invoices:read"), "invoices:write"))());
	expect(problem.slug).toBe("insufficient-scope");
	expect(problem.status).toBe(403);
	expect(problem.extensions).toEqual({ requiredScopes: ["invoices:write"] });
	expect(problem.headers["www-authenticate"]).toContain('error="insufficient_scope"');
});

test("admin is a scope like any other and stands for none", () => {
	expect(() => requireScope(principal("admin"), "registry:purge")).toThrow("insufficient-scope");
});

test("a key has every scope by default but erasure and administration", () => {
	expect(DEFAULT_SCOPES.length).toBe(SCOPES.length - 2);
	expect(DEFAULT_SCOPES).not.toContain("registry:purge");
	expect(DEFAULT_SCOPES).not.toContain("admin");
});

test("scopes keep their order and lose their repetitions", () => {
	expect(splitScope(" b  a b ")).toEqual(["b", "a"]);
	expect([...intersect(new Set(["a", "b"]), new Set(["b", "c"]))]).toEqual(["b"]);
});
