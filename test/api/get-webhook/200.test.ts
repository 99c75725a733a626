import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { createWebhook, getWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a webhook has its version as ETag and no secret", async () => {
	const { secret, ...shown } = await createWebhook(service, tenant);
	const answer = await getWebhook(service, tenant, shown.id);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("etag")).toBe('"1"');
	expect(await answer.json()).toEqual(shown);
});
