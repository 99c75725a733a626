/** Keys that are ended. */
import { expect, test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { auditOf, deleteKey, getKey, makeKey, tryKey, withKey } from "../support/api-keys";
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
