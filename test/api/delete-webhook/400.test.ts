import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createWebhook, deleteWebhook, getWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a parameter that removing does not know is refused, and nothing is removed", async () => {
	const { id } = await createWebhook(service, tenant);
	const asked = deleteWebhook(service, tenant, `${id}?dry_run=true`);
	await expectProblem(asked, 400, "validation-error", ["#/query/dry_run unknown-parameter"]);
	expect((await getWebhook(service, tenant, id)).status).toBe(200);
});
