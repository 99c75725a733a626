import { beforeAll, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
});

const bearer = (who = tenant) => ({ authorization: `Bearer ${who.token}` });

test("422 for a company without webhooks", async () => {
	const answer = post(service, "/v1/webhooks/test", bearer(await tenantA()), {});
	await expectProblem(answer, 422, "webhook-not-configured");
});
