import { expect, test } from "bun:test";
import { scopesOf } from "../../../src/identity/users";

test("a viewer only reads, and no keys", () => {
	const scopes = [...scopesOf("viewer", "production")];
	expect(scopes.filter((scope) => !scope.endsWith(":read"))).toEqual([]);
	expect(scopes).not.toContain("keys:read");
});

test("a developer issues outside production alone", () => {
	expect(scopesOf("developer", "production").has("invoices:write")).toBe(false);
	for (const environment of ["staging", "sandbox"] as const)
		expect(scopesOf("developer", environment).has("invoices:write")).toBe(true);
});

test("an accountant manages no secrets, an owner no deployment", () => {
	const accountant = scopesOf("accountant", "sandbox");
	expect(["keys:write", "webhooks:write", "team:read"].filter((scope) => accountant.has(scope as never))).toEqual([]);
	const owner = scopesOf("owner", "sandbox");
	expect(["admin", "registry:purge"].filter((scope) => owner.has(scope as never))).toEqual([]);
	expect(owner.has("team:write")).toBe(true);
});
