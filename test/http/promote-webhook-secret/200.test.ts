import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { createWebhook, getWebhook, promoteSecret } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("without a rotation under way nothing changes, however often it is asked", async () => {
	const { id } = await createWebhook(service, tenant);
	const before = await (await getWebhook(service, tenant, id)).json();
	for (let n = 0; n < 2; n++) {
		const answer = await promoteSecret(service, tenant, id);
		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual(before);
	}
});
