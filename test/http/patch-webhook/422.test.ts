import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createWebhook, getWebhook, patchWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a URL that may not be called is refused, and nothing is changed", async () => {
	const { id, url } = await createWebhook(service, tenant);
	const change = patchWebhook(service, tenant, id, { url: "https://10.0.0.1/hook", status: "disabled" });
	await expectProblem(change, 422, "webhook-url-not-allowed", ["/url private-address"]);
	expect(await (await getWebhook(service, tenant, id)).json()).toMatchObject({ url, status: "enabled", version: 1 });
});
