/** New client credentials of a company, and how long the old ones live. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, getToken, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { expectProblem, expectUnauthorised } from "../support/problem";
import { instant, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

type Renewed = { readonly clientId: string; readonly clientSecret: string; readonly previousExpireAt: string };
const renew = (tenant: Tenant, body: unknown = {}, id = tenant.tenantId) =>
	post(service, `/v1/company/${id}/credentials`, { "x-api-key": tenant.apiKey }, body);
const reads = (tenant: Tenant, token: string) =>
	get(service, `/v1/company/${tenant.tenantId}`, { "x-api-key": tenant.apiKey, authorization: `Bearer ${token}` });

test("the old ones and their tokens live on for a day", async () => {
	const tenant = await createTenant(service);
	const startedAt = Date.now();
	const answer = await renew(tenant);
	expect([answer.status, answer.headers.get("cache-control")]).toEqual([201, "no-store"]);
	const renewed = (await answer.json()) as Renewed;
	expect(renewed).toEqual({
		clientId: expect.stringMatching(/^cli_[0-9a-f]{32}$/),
		clientSecret: expect.stringMatching(/^cs_test_[0-9A-Za-z]{32}$/),
		previousExpireAt: expect.stringMatching(instant),
	});
	expect(renewed.clientId).not.toBe(tenant.clientId);
	const graceSeconds = (Date.parse(renewed.previousExpireAt) - startedAt) / 1_000;
	expect(graceSeconds).toBeGreaterThanOrEqual(86_400);
	expect(graceSeconds).toBeLessThan(86_400 + 600);
	for (const one of [tenant, renewed]) {
		expect((await reads(tenant, await getToken(service, one.clientId, one.clientSecret))).status).toBe(200);
	}
	expect((await reads(tenant, tenant.token)).status).toBe(200);
});

test("without a grace they end at once", async () => {
	const tenant = await createTenant(service);
	const renewed = (await (await renew(tenant, { graceSeconds: 0 })).json()) as Renewed;
	await until(async () => (await reads(tenant, tenant.token)).status === 401, 120_000);
	await expect(getToken(service, tenant.clientId, tenant.clientSecret)).rejects.toThrow("401");
	expect((await reads(tenant, await getToken(service, renewed.clientId, renewed.clientSecret))).status).toBe(200);
});

test("a stranger's company is not there, a grace of more than a week is refused, and so is a caller without a key", async () => {
	const tenant = await createTenant(service);
	for (const id of [(await tenantB()).tenantId, UNKNOWN_ID, "x"]) {
		await expectProblem(renew(tenant, {}, id), 404, "not-found");
	}
	for (const graceSeconds of [-1, 604_801, 1.5, "60"]) {
		await expectProblem(renew(tenant, { graceSeconds }), 400, "validation-error");
	}
	const { authorization = "" } = tenant.headers;
	await expectUnauthorised(post(service, `/v1/company/${tenant.tenantId}/credentials`, { authorization }, {}));
});
