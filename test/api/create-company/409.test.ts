/** A company is registered once in an environment. */
import { beforeAll, expect, test } from "bun:test";
import { ownsDemoCompanies } from "../../../src/companies";
import { createTenant, getToken, post, sharedService, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const register = (apiKey: string, rnc: string) => post(service, "/v1/company", { "x-api-key": apiKey }, { rnc });

test("only its owner learns which company it is", async () => {
	const tenant = await tenantA();
	const own = await expectProblem(register(tenant.apiKey, tenant.rnc), 409, "company-already-exists");
	expect(own.tenantId).toBe(tenant.tenantId);
	const fact = `RNC ${tenant.rnc} is already registered in environment sandbox.`;
	expect(own.detail).toBe(`${fact} If its secret is lost: POST /v1/company/${tenant.tenantId}/credentials.`);
	const foreign = await expectProblem(register(await service.createKey(), tenant.rnc), 409, "company-already-exists");
	expect(foreign).not.toHaveProperty("tenantId");
	expect(foreign.detail).toBe(fact);
});

test("only the owner of a closed company learns that it can be resumed", async () => {
	const tenant = await createTenant(service);
	await service.sql`update companies set status = 'closed' where tenant_id = ${tenant.tenantId}`;
	const own = await expectProblem(register(tenant.apiKey, tenant.rnc), 409, "company-already-exists");
	expect(own.detail).toEndWith("The company is closed and keeps its RNC; support can resume it.");
	expect(own.tenantId).toBe(tenant.tenantId);
	const foreign = await expectProblem(register(await service.createKey(), tenant.rnc), 409, "company-already-exists");
	expect(foreign.detail).not.toContain("closed");
});

test("of six concurrent owners one gets the RNC", async () => {
	const { rnc } = await takeActiveCompany();
	const keys = await Promise.all(Array.from({ length: 6 }, () => service.createKey()));
	const statuses = await Promise.all(keys.map(async (key) => (await register(key, rnc)).status));
	expect(statuses.sort()).toEqual([201, 409, 409, 409, 409, 409]);
});

test("the demo key renews the credentials of a company that it has registered", async () => {
	const { rnc } = await takeActiveCompany();
	const demo = "ak_demo_public0000000000000000";
	expect((await register(demo, rnc)).status).toBe(201);
	const { tenantId } = await expectProblem(register(demo, rnc), 409, "company-already-exists");
	const renew = (id: unknown) => post(service, `/v1/company/${id}/credentials`, { "x-api-key": demo }, {});
	const { clientId, clientSecret } = (await (await renew(tenantId)).json()) as Record<string, string>;
	expect(await getToken(service, clientId ?? "", clientSecret ?? "")).toBeTruthy();
	await expectProblem(renew((await tenantA()).tenantId), 404, "not-found");
	await expectProblem(renew("00000000-0000-7000-8000-00000000de02"), 403, "forbidden");
	expect(ownsDemoCompanies("sandbox", "::1")).toBe(true);
	for (const address of ["192.0.2.1", "", "::"]) expect(ownsDemoCompanies("sandbox", address)).toBe(false);
	expect(ownsDemoCompanies("public-sandbox", "127.0.0.1")).toBe(false);
});
