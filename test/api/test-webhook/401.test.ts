import { beforeAll, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
});

test("401 without a token, with the key alone", async () => {
	await expectUnauthorised(post(service, "/v1/webhooks/test", {}, {}));
	await expectUnauthorised(post(service, "/v1/webhooks/test", { "x-api-key": tenant.apiKey }, {}));
});
