import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";
import {
	createWebhook,
	deleteWebhook,
	getWebhook,
	patchWebhook,
	promoteSecret,
	rotateSecret,
} from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const operations = {
	read: getWebhook,
	change: (...[one, who, id]: Parameters<typeof getWebhook>) => patchWebhook(one, who, id, { status: "disabled" }),
	remove: deleteWebhook,
	rotate: (...[one, who, id]: Parameters<typeof getWebhook>) => rotateSecret(one, who, id),
	promote: promoteSecret,
};

test.each(Object.entries(operations))("an unknown or foreign webhook cannot be used: %s", async (_, use) => {
	const { id } = await createWebhook(service, await tenantB());
	for (const absent of [UNKNOWN_ID, id, "no-id"]) await expectProblem(use(service, tenant, absent), 404, "not-found");
});
