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

test("another body under an old key is refused", async () => {
	const { id } = await createWebhook(service, tenant);
	const headers = { "idempotency-key": crypto.randomUUID() };
	expect((await patchWebhook(service, tenant, id, { description: "Caja 1" }, headers)).status).toBe(200);
	const other = patchWebhook(service, tenant, id, { description: "Caja 2" }, headers);
	await expectProblem(other, 422, "idempotency-key-reused");
	expect(await (await getWebhook(service, tenant, id)).json()).toMatchObject({ description: "Caja 1", version: 2 });
});
