import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { type Delivery, getDelivery, listDeliveries, sendVerdict } from "../support/deliveries";
import { createWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a delivery has the exact bytes that were sent and every attempt", async () => {
	await createWebhook(service, tenant);
	const docId = await sendVerdict(service, tenant);
	const [listed] = (await listDeliveries(service, tenant)).items;
	if (!listed) throw new Error("there is a delivery");
	const { attemptCount, lastAttempt, ...common } = listed;
	const delivery = (await (await getDelivery(service, tenant, common.deliveryId)).json()) as Delivery;
	const received = service.receiver.received.find((one) => one.headers["x-service-delivery"] === common.deliveryId);
	expect(delivery).toEqual({
		...common,
		body: received?.body.toString() ?? "",
		attempts: [{ ...(lastAttempt as object), responseBody: "" }],
	});
	expect(JSON.parse(String(delivery.body))).toMatchObject({ event: "invoice.accepted", docId });
});
