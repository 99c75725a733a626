/** A company is registered once in an environment. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, post, sharedService, type TestService } from "../../support/service";
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
	expect(own.detail).toBe(`RNC ${tenant.rnc} is already registered in environment sandbox.`);
	const foreign = await expectProblem(register(await service.createKey(), tenant.rnc), 409, "company-already-exists");
	expect(foreign).not.toHaveProperty("tenantId");
	expect(foreign.detail).toBe(own.detail);
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
