import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createWebhook, patchWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("what cannot be cleared or is not known is refused, all of it at once", async () => {
	const { id } = await createWebhook(service, tenant);
	await expectProblem(
		patchWebhook(service, tenant, id, { url: null, status: "asleep", recovery: null, id: "x" }),
		400,
		"validation-error",
		["/id unknown-field", "/recovery not-in-list", "/status not-in-list", "/url wrong-type"],
	);
});

test("an idempotency key that is no UUID of version 4 is refused", async () => {
	const { id } = await createWebhook(service, tenant);
	await expectProblem(
		patchWebhook(service, tenant, id, { description: "Caja 1" }, { "idempotency-key": "1" }),
		400,
		"validation-error",
		["#/headers/idempotency-key invalid-format"],
	);
});
