/** Keys that are ended. */
import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { auditOf, deleteKey, getKey, listKeys, makeKey, patchKey, tryKey, withKey } from "../support/api-keys";
import { expectProblem, expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

test("a deleted key is refused and unlisted at once; others stay valid", async () => {
	const service = await sharedService();
	const tenant = await tenantA();
	const made = await makeKey(service, tenant);
	expect(await tryKey(service, made.key)).toBe(200);
	const answer = await deleteKey(service, tenant, made.id);
	expect([answer.status, await answer.text()]).toEqual([204, ""]);
	await expectUnauthorised(get(service, "/v1/authority/registry/status", { "x-api-key": made.key }));
	await expectUnauthorised(get(service, "/v1/api-keys", withKey(tenant, made.key).headers));
	await expectProblem(getKey(service, tenant, made.id), 404, "not-found");
	await expectProblem(deleteKey(service, tenant, made.id), 404, "not-found");
	expect(await tryKey(service, tenant.apiKey)).toBe(200);
	expect((await auditOf(service, made.id)).map(({ action }) => action)).toEqual(["key.create", "key.revoke"]);
});

test("a key may end itself", async () => {
	const service = await sharedService();
	const tenant = await tenantA();
	const made = await makeKey(service, tenant);
	expect((await deleteKey(service, withKey(tenant, made.key), made.id)).status).toBe(204);
	expect(await tryKey(service, made.key)).toBe(401);
});

test("409 for the owner's last full key: it is neither ended nor bound", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const [first] = (await listKeys(service, tenant)).items;
	const id = first?.id ?? "";
	await makeKey(service, tenant, { scopes: ["keys:write"] });
	const soon = new Date(Date.now() + 3_600_000).toISOString();
	await expectProblem(deleteKey(service, tenant, id), 409, "last-key");
	for (const patch of [{ expiresAt: soon }, { tenantIds: [tenant.tenantId] }])
		await expectProblem(patchKey(service, tenant, id, patch), 409, "last-key");
	expect((await patchKey(service, tenant, id, { ipAllowList: ["127.0.0.1"] })).status).toBe(200);
	await makeKey(service, tenant, { expiresAt: soon });
	await expectProblem(deleteKey(service, tenant, id), 409, "last-key");
	await makeKey(service, tenant);
	expect((await deleteKey(service, tenant, id)).status).toBe(204);
});
