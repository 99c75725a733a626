/** Tokens that are ended before their time. */
import { beforeAll, expect, test } from "bun:test";
import { get, getToken, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const list = (token: string) =>
	get(service, "/v1/invoices?limit=1", { "x-api-key": tenant.apiKey, authorization: `Bearer ${token}` });

test("a revoked access token is refused from the next request on; others live", async () => {
	const token = await getToken(service, tenant.clientId, tenant.clientSecret);
	expect((await list(token)).status).toBe(200);
	const answer = await post(service, "/v1/auth/revoke", {}, { token });
	expect([answer.status, await answer.text(), answer.headers.get("cache-control")]).toEqual([200, "{}", "no-store"]);
	await expectUnauthorised(list(token));
	expect((await list(tenant.token)).status).toBe(200);
});

test("a token that is unknown, and one that was revoked before, are answered alike", async () => {
	const token = await getToken(service, tenant.clientId, tenant.clientSecret);
	for (const text of [token, token, "x", `rt_test_${"0".repeat(43)}`]) {
		const answer = await post(service, "/v1/auth/revoke", {}, { token: text });
		expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
	}
});
