import { expect, test } from "bun:test";
import { scopesOf } from "../../../src/identity/users";
import { ENVIRONMENTS } from "../../../src/platform/values";

test("a viewer only reads, and no keys", () => {
	const scopes = [...scopesOf("viewer", "production")];
	expect(scopes.filter((scope) => !scope.endsWith(":read"))).toEqual([]);
	expect(scopes).not.toContain("keys:read");
});

test("a developer issues, prepares and discards outside production alone", () => {
	for (const scope of ["invoices:write", "invoices:prepare"] as const) {
		const found = ENVIRONMENTS.filter((environment) => scopesOf("developer", environment).has(scope));
		expect(found).toEqual(ENVIRONMENTS.filter((environment) => environment !== "production"));
	}
});

test("an accountant manages no secrets, an owner no deployment", () => {
	const accountant = scopesOf("accountant", "sandbox");
	expect(["keys:write", "webhooks:write", "team:read"].filter((scope) => accountant.has(scope as never))).toEqual([]);
	const owner = scopesOf("owner", "sandbox");
	expect(["admin", "registry:purge"].filter((scope) => owner.has(scope as never))).toEqual([]);
	expect(owner.has("team:write")).toBe(true);
});
