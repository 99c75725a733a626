/** An endpoint fails until its deliveries are dead letters, then recovers: what its owner sees. */
import { beforeAll, expect, test } from "bun:test";
import { listDeliveries } from "../api/support/deliveries";
import { createWebhook, getWebhook, type Webhook } from "../api/support/webhooks";
import {
	buildInvoice,
	createTenant,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../support/service";
import { until } from "../support/until";

const TIMEOUT_MS = 120_000;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, TIMEOUT_MS);

const statuses = async (webhook: Webhook) =>
	(await listDeliveries(service, tenant, `?webhookId=${webhook.id}`)).items.map(({ status }) => status);
const areAll = async (webhook: Webhook, status: string, count: number) => {
	const all = await statuses(webhook);
	return all.length === count && all.every((one) => one === status);
};
const read = async (webhook: Webhook) => (await (await getWebhook(service, tenant, webhook.id)).json()) as Webhook;
const pathOf = ({ url }: Webhook) => new URL(url).pathname;
const receivedBy = (webhook: Webhook) => service.receiver.received.filter(({ path }) => path === pathOf(webhook));

test(
	"dead letters are redelivered under their ids when the endpoint recovers",
	async () => {
		const automatic = await createWebhook(service, tenant);
		const manual = await createWebhook(service, tenant, { recovery: "manual" });
		for (const webhook of [automatic, manual]) service.receiver.answer(pathOf(webhook), 500);
		const count = 4;
		for (let n = 0; n < count; n++) expect((await postInvoice(service, tenant, buildInvoice(tenant))).status).toBe(202);
		await until(
			async () => (await areAll(automatic, "dead", count)) && (await areAll(manual, "dead", count)),
			TIMEOUT_MS,
		);
		expect(await read(automatic)).toMatchObject({ status: "enabled", probe: { status: "waiting" } });
		expect(await read(manual)).toMatchObject({ status: "enabled", probe: null });
		expect(receivedBy(manual)).toHaveLength(count * 6);

		for (const webhook of [automatic, manual]) service.receiver.answer(pathOf(webhook), 204);
		// What its probe waits for is over.
		expect((await post(service, "/v1/sandbox/clock", tenant.headers, { advance: "30s" })).status).toBe(200);
		await until(() => areAll(automatic, "delivered", count), TIMEOUT_MS);
		await until(async () => (await read(automatic)).probe === null, TIMEOUT_MS);

		const ids = (await listDeliveries(service, tenant, `?webhookId=${automatic.id}`)).items.map(
			(one) => one.deliveryId,
		);
		const delivered = receivedBy(automatic).map(({ headers }) => headers["x-service-delivery"]);
		expect(new Set(delivered)).toEqual(new Set(ids));
		expect(await areAll(manual, "dead", count)).toBe(true);
		expect(receivedBy(manual)).toHaveLength(count * 6);
	},
	2 * TIMEOUT_MS,
);
