/** Whose addresses a key may not free: those of one that may do more. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { getKey, makeKey, patchKey, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test("a key that may do more is bound closer to its addresses, and not freed from them", async () => {
	const wide = await makeKey(service, tenant, {
		scopes: ["keys:write", "registry:read"],
		ipAllowList: ["192.0.2.0/24"],
	});
	const narrow = await makeKey(service, tenant, { scopes: ["keys:write"] });
	const keeper = withKey(tenant, narrow.key);
	for (const ipAllowList of [null, [], ["192.0.2.0/23"], ["192.0.2.1", "127.0.0.1"]]) {
		const problem = await expectProblem(patchKey(service, keeper, wide.id, { ipAllowList }), 403, "insufficient-scope");
		expect(problem.requiredScopes).toEqual(["registry:read"]);
	}
	expect((await patchKey(service, keeper, wide.id, { ipAllowList: ["192.0.2.1"] })).status).toBe(200);
	expect(await (await getKey(service, tenant, wide.id)).json()).toMatchObject({ ipAllowList: ["192.0.2.1"] });
	expect((await patchKey(service, tenant, wide.id, { ipAllowList: null })).status).toBe(200);
});

test("a key that may do more is ended sooner, and not given more time", async () => {
	const soon = new Date(Date.now() + 3_600_000).toISOString();
	const wide = await makeKey(service, tenant, {
		scopes: ["keys:write", "registry:read"],
		expiresAt: "2099-01-01T00:00:00Z",
	});
	const narrow = await makeKey(service, tenant, { scopes: ["keys:write"] });
	const keeper = withKey(tenant, narrow.key);
	expect((await patchKey(service, keeper, wide.id, { expiresAt: soon })).status).toBe(200);
	for (const expiresAt of [null, "2098-01-01T00:00:00Z"]) {
		const problem = await expectProblem(patchKey(service, keeper, wide.id, { expiresAt }), 403, "insufficient-scope");
		expect(problem.requiredScopes).toEqual(["registry:read"]);
	}
	expect((await patchKey(service, tenant, wide.id, { expiresAt: null })).status).toBe(200);
});
