import { beforeAll, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantB } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const ask = (body: unknown, headers: Record<string, string> = {}, apiKey = tenant.apiKey) =>
	post(service, `/v1/company/${tenant.tenantId}/credentials`, { "x-api-key": apiKey, ...headers }, body);

test("another owner's company is not found", async () => {
	await expectProblem(ask({}, {}, (await tenantB()).apiKey), 404, "not-found");
});
