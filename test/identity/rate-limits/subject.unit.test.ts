import { expect, test } from "bun:test";
import { subjectOf, toAddressId, toAddressSubject } from "../../../src/identity/rate-limits/policy";
import type { Principal } from "../../../src/platform/operation";

test.each([
	["192.0.2.1", "192.0.2.1"],
	["::ffff:192.0.2.1", "192.0.2.1"],
	["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
	["2001:db8:1:2::", "2001:db8:1:2::/64"],
	["2001:0db8::1", "2001:db8:0:0::/64"],
	["::1", "0:0:0:0::/64"],
	["64:ff9b::192.0.2.1", "64:ff9b:0:0::/64"],
	["fe80::1%eth0", "fe80:0:0:0::/64"],
	["", ""],
])("the address %s counts as %s", (address, subject) => {
	expect(toAddressSubject(address)).toBe(subject);
});

test("an address is stored as an id that does not reveal it", () => {
	const id = toAddressId("192.0.2.1");
	expect(id).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
	expect(toAddressId("192.0.2.2")).not.toBe(id);
});

test("a tenant is counted for itself, and in the registry with all others of its owner", () => {
	const principal: Principal = {
		...{ environment: "sandbox", plan: "free", ownerId: "owner", tenantId: "tenant", keyId: "key" },
		scopes: new Set(),
	};
	expect(subjectOf(principal, "issue")).toBe("tenant");
	expect(subjectOf(principal, "lookup")).toBe("owner");
	expect(subjectOf({ ...principal, ownerId: null }, "search")).toBe("tenant");
	expect(
		subjectOf({ environment: "sandbox", plan: "free", ownerId: null, keyId: "key", scopes: new Set() }, "read"),
	).toBe("key");
});
