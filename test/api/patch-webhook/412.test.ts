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

test.each(['"2"', 'W/"1"', "1", '"0", "2"'])(
	"If-Match %s is not the first version, and nothing is changed",
	async (tag) => {
		const { id } = await createWebhook(service, tenant);
		const change = patchWebhook(service, tenant, id, { status: "disabled" }, { "if-match": tag });
		await expectProblem(change, 412, "precondition-failed");
		expect(await (await getWebhook(service, tenant, id)).json()).toMatchObject({ status: "enabled", version: 1 });
	},
);
