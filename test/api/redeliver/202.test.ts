import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { type Delivery, getDelivery, killLetters, listDeliveries, redeliver, sendVerdict } from "../support/deliveries";
import { expectProblem } from "../support/problem";
import { createWebhook, deleteWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const receivedOf = (id: string) => service.receiver.received.filter((one) => one.headers["x-service-delivery"] === id);

/** What the delivery is once its sending again is over. */
async function settled(id: string): Promise<Delivery> {
	const read = async () => (await (await getDelivery(service, tenant, id)).json()) as Delivery;
	await until(async () => ["delivered", "dead"].includes((await read()).status));
	return read();
}

test("a dead letter is resent with its id and bytes, and attempts continue", async () => {
	const { id } = await killLetters(service, tenant, 1);
	const [letter] = (await listDeliveries(service, tenant, `?webhookId=${id}&status=dead`)).items;
	if (!letter) throw new Error("there is a letter");
	const answer = await redeliver(service, tenant, letter.deliveryId);
	expect(answer.status).toBe(202);
	expect(await answer.json()).toMatchObject({ deliveryId: letter.deliveryId, deadAt: null, reason: null });
	const after = await settled(letter.deliveryId);
	expect(after.status).toBe("delivered");
	// Two attempts, unless the machine is so busy that the receiver was late.
	const numbers = (after.attempts as { n: number }[]).map(({ n }) => n);
	expect(numbers.length).toBeGreaterThanOrEqual(2);
	expect(numbers).toEqual(numbers.map((_, i) => i + 1));
	const bodies = receivedOf(letter.deliveryId).map(({ body }) => body.toString());
	expect(bodies.length).toBeGreaterThanOrEqual(2);
	expect(new Set(bodies)).toEqual(new Set([String(after.body)]));
});

test("a delivery that arrived is sent once more when its receiver has lost it", async () => {
	const { id } = await createWebhook(service, tenant);
	await sendVerdict(service, tenant);
	const [delivery] = (await listDeliveries(service, tenant, `?webhookId=${id}`)).items;
	if (!delivery) throw new Error("there is a delivery");
	expect((await redeliver(service, tenant, delivery.deliveryId)).status).toBe(202);
	await until(() => receivedOf(delivery.deliveryId).length >= 2);
	expect(await settled(delivery.deliveryId)).toMatchObject({ status: "delivered" });
});

test("a letter whose webhook was removed goes to the one that took its place", async () => {
	const own = await createTenant(service);
	const gone = await killLetters(service, own, 1);
	const [letter] = (await listDeliveries(service, own)).items;
	if (!letter) throw new Error("there is a letter");
	await deleteWebhook(service, own, gone.id);
	const heir = await createWebhook(service, own);
	expect(await (await redeliver(service, own, letter.deliveryId)).json()).toMatchObject({ webhookId: heir.id });
	await until(() => receivedOf(letter.deliveryId).some(({ path }) => heir.url.endsWith(path)));
});

test("a replay returns the first answer and sends nothing", async () => {
	const { id } = await createWebhook(service, tenant);
	await sendVerdict(service, tenant);
	const [delivery] = (await listDeliveries(service, tenant, `?webhookId=${id}`)).items;
	if (!delivery) throw new Error("there is a delivery");
	const headers = { "idempotency-key": crypto.randomUUID() };
	const first = await redeliver(service, tenant, delivery.deliveryId, headers);
	await until(() => receivedOf(delivery.deliveryId).length >= 2);
	const before = await settled(delivery.deliveryId);
	const repeat = await redeliver(service, tenant, delivery.deliveryId, headers);
	expect([first.status, repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([202, 200, "true"]);
	expect(await repeat.text()).toBe(await first.text());
	expect(await (await getDelivery(service, tenant, delivery.deliveryId)).json()).toEqual(before);
});

test("an idempotency key that is no UUID of version 4 is refused, and nothing is sent", async () => {
	const { id } = await killLetters(service, tenant, 1);
	const [letter] = (await listDeliveries(service, tenant, `?webhookId=${id}&status=dead`)).items;
	const refused = redeliver(service, tenant, letter?.deliveryId ?? "", { "idempotency-key": "1" });
	await expectProblem(refused, 400, "validation-error", ["#/headers/idempotency-key invalid-format"]);
	expect((await listDeliveries(service, tenant, `?webhookId=${id}&status=dead`)).count).toBe(1);
});
