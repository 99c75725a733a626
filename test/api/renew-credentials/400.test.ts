import { beforeAll, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const ask = (body: unknown, headers: Record<string, string> = {}, apiKey = tenant.apiKey) =>
	post(service, `/v1/company/${tenant.tenantId}/credentials`, { "x-api-key": apiKey, ...headers }, body);

test("a grace of more than a week is refused", async () => {
	await expectProblem(ask({ graceSeconds: 604_801 }), 400, "validation-error", ["/graceSeconds too-large"]);
});
