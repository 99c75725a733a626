/** Callers who may not make a key, or not this one. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, getToken, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { listKeys, makeKey, postKey, withKey } from "../support/api-keys";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a key without keys:write makes none, whatever the token may", async () => {
	const reader = withKey(tenant, (await makeKey(service, tenant, { scopes: ["keys:read"] })).key);
	const problem = await expectProblem(postKey(service, reader), 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["keys:write"]);
	expect((await listKeys(service, reader)).count).toBeGreaterThan(0);
});

test("no scope is given that the key or the token lacks", async () => {
	const poor = withKey(tenant, (await makeKey(service, tenant, { scopes: ["keys:write", "invoices:read"] })).key);
	const wanted = { scopes: ["invoices:read", "invoices:write", "registry:purge"] };
	const problem = await expectProblem(postKey(service, poor, wanted), 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["invoices:write", "registry:purge"]);
	expect((await makeKey(service, poor)).scopes).toEqual(["invoices:read", "keys:write"]);

	const { clientId: client_id, clientSecret: client_secret } = tenant;
	const body = { grant_type: "client_credentials", client_id, client_secret, scope: "keys:write" };
	const { access_token } = (await (await post(service, "/v1/auth/token", {}, body)).json()) as { access_token: string };
	const narrowed = { ...tenant, headers: { ...tenant.headers, authorization: `Bearer ${access_token}` } };
	expect((await makeKey(service, narrowed)).scopes).toEqual(["keys:write"]);
	await expectProblem(postKey(service, narrowed, { scopes: ["keys:read"] }), 403, "insufficient-scope");
});

test("the demo key makes none, sees none and ends none", async () => {
	const demo = "ak_demo_public0000000000000000";
	const token = await getToken(service, "demo", "demo");
	const one = { ...tenant, headers: { "x-api-key": demo, authorization: `Bearer ${token}` } };
	await expectProblem(postKey(service, one), 403, "forbidden");
	expect((await listKeys(service, one)).items).toEqual([]);
	const own = "00000000-0000-7000-8000-00000000de01";
	const calls = [["GET"], ["DELETE"], ["PATCH", "{}"], ["POST", "{}", "/rotate"]];
	for (const [method = "", body, verb = ""] of calls) {
		const headers = { ...one.headers, ...(body ? { "content-type": "application/json" } : {}) };
		const asked = fetch(`${service.url}/v1/api-keys/${own}${verb}`, { method, headers, ...(body ? { body } : {}) });
		await expectProblem(asked, 404, "not-found");
	}
});
