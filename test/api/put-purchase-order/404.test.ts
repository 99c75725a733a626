import { beforeAll, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("an unknown order, or another company's, is not found", async () => {
	await expectProblem(get(service, "/v1/purchase-orders/5", tenant.headers), 404, "not-found");
	const stranger = await createTenant(service);
	await expectProblem(get(service, "/v1/purchase-orders/7", stranger.headers), 404, "not-found");
});
