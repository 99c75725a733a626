import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createWebhook, deleteWebhook, getWebhook, listWebhooks } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a webhook that was removed is gone, and only that one", async () => {
	const [gone, stays] = [await createWebhook(service, tenant), await createWebhook(service, tenant)];
	const answer = await deleteWebhook(service, tenant, gone.id);
	expect(answer.status).toBe(204);
	expect(await answer.text()).toBe("");
	await expectProblem(getWebhook(service, tenant, gone.id), 404, "not-found");
	await expectProblem(deleteWebhook(service, tenant, gone.id), 404, "not-found");
	expect((await listWebhooks(service, tenant)).map(({ id }) => id)).toEqual([stays.id]);
});
