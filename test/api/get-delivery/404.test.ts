import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { getDelivery, listDeliveries, recover, redeliver, sendVerdict } from "../support/deliveries";
import { expectProblem } from "../support/problem";
import { UNKNOWN_ID } from "../support/tenants";
import { createWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("an unknown or foreign delivery can be neither read nor resent", async () => {
	const other = await createTenant(service);
	const { id } = await createWebhook(service, other);
	await sendVerdict(service, other);
	const [theirs] = (await listDeliveries(service, other)).items;
	for (const absent of [UNKNOWN_ID, theirs?.deliveryId ?? "", "no-id"]) {
		await expectProblem(getDelivery(service, tenant, absent), 404, "not-found");
		await expectProblem(redeliver(service, tenant, absent), 404, "not-found");
	}
	for (const absent of [UNKNOWN_ID, id, "no-id"])
		await expectProblem(recover(service, tenant, absent, { since: "2026-01-01T00:00:00Z" }), 404, "not-found");
});
