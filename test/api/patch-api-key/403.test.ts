/** Whose limits a key may not change: those of one that may do more. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { deleteKey, getKey, makeKey, patchKey, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test("a key that may do more is neither freed, narrowed nor bound", async () => {
	const wide = await makeKey(service, tenant, {
		scopes: ["keys:write", "registry:read"],
		...{ ipAllowList: ["192.0.2.0/24"], expiresAt: "2099-01-01T00:00:00Z" },
	});
	const narrow = await makeKey(service, tenant, { scopes: ["keys:write"] });
	const keeper = withKey(tenant, narrow.key);
	const soon = new Date(Date.now() + 3_600_000).toISOString();
	for (const patch of [
		...[null, [], ["192.0.2.0/23"], ["192.0.2.1"]].map((ipAllowList) => ({ ipAllowList })),
		...[null, "2100-01-01T00:00:00Z", soon].map((expiresAt) => ({ expiresAt })),
		{ tenantIds: [tenant.tenantId] },
	]) {
		const problem = await expectProblem(patchKey(service, keeper, wide.id, patch), 403, "insufficient-scope");
		expect(problem.requiredScopes).toEqual(["registry:read"]);
	}
	await expectProblem(deleteKey(service, keeper, wide.id), 403, "insufficient-scope");
	expect((await patchKey(service, keeper, wide.id, { label: "Wide" })).status).toBe(200);
	expect(await (await getKey(service, tenant, wide.id)).json()).toMatchObject({ ipAllowList: ["192.0.2.0/24"] });
	expect((await patchKey(service, tenant, wide.id, { ipAllowList: null, expiresAt: null })).status).toBe(200);
});

test("a key of one company does not end one that opens others", async () => {
	const till = await makeKey(service, tenant, { tenantIds: [tenant.tenantId] });
	const other = await makeKey(service, tenant);
	const keeper = withKey(tenant, till.key);
	await expectProblem(deleteKey(service, keeper, other.id), 403, "forbidden");
	const widened = patchKey(service, keeper, till.id, { tenantIds: null });
	await expectProblem(widened, 400, "validation-error", ["/tenantIds beyond-own-companies"]);
	const freed = await patchKey(service, tenant, till.id, { tenantIds: null });
	expect(await freed.json()).toMatchObject({ tenantIds: [] });
});
