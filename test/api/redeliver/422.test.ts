import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { getDelivery, killLetters, listDeliveries, recover, redeliver } from "../support/deliveries";
import { expectProblem } from "../support/problem";
import { patchWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a dead letter without an enabled webhook stays dead", async () => {
	const { id } = await killLetters(service, tenant, 1);
	const [letter] = (await listDeliveries(service, tenant)).items;
	await patchWebhook(service, tenant, id, { status: "disabled" });
	const deliveryId = letter?.deliveryId ?? "";
	await expectProblem(redeliver(service, tenant, deliveryId), 422, "webhook-not-configured");
	await expectProblem(recover(service, tenant, id, { since: "2026-01-01T00:00:00Z" }), 422, "webhook-not-configured");
	expect(await (await getDelivery(service, tenant, deliveryId)).json()).toMatchObject({ status: "dead" });
});
