import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createWebhook, deleteWebhook, getWebhook, patchWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a webhook that has changed since is not removed; as it is now, it is", async () => {
	const { id } = await createWebhook(service, tenant);
	const now = (await patchWebhook(service, tenant, id, { description: "changed" })).headers.get("etag") ?? "";
	await expectProblem(deleteWebhook(service, tenant, id, { "if-match": '"1"' }), 412, "precondition-failed");
	expect((await getWebhook(service, tenant, id)).status).toBe(200);
	expect((await deleteWebhook(service, tenant, id, { "if-match": now })).status).toBe(204);
});
