/** The keys of an owner, in pages. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { deleteKey, type KeyRecord, listKeys, makeKey } from "../support/api-keys";
import { tenantB } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("newest first, in pages without gaps, without secrets or other owners' keys", async () => {
	const made: KeyRecord[] = [];
	for (const label of ["one", "two", "three"]) made.push(await makeKey(service, tenant, { label }));
	await deleteKey(service, tenant, made[1]?.id ?? "");
	const all = await listKeys(service, tenant);
	// The key that the tenant has had from the beginning is the oldest.
	expect(all.items.map(({ label }) => label)).toEqual(["three", "one", "test"]);
	expect(all).toMatchObject({ count: 3, partial: false, next: null });
	for (const item of all.items) expect(item).not.toHaveProperty("key");

	const first = await listKeys(service, tenant, "?limit=2");
	expect([first.count, first.partial, first.next]).toEqual([2, true, made[0]?.id ?? ""]);
	const second = await listKeys(service, tenant, `?limit=2&after=${first.next}`);
	// The key that lists is used meanwhile.
	const withoutUse = (items: readonly KeyRecord[]) => items.map(({ lastUsedAt: _, ...rest }) => rest);
	expect(withoutUse([...first.items, ...second.items])).toEqual(withoutUse(all.items));

	const others = (await listKeys(service, await tenantB())).items.map(({ id }) => id);
	for (const { id } of all.items) expect(others).not.toContain(id);
});
