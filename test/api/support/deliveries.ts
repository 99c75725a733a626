/** Deliveries of a tenant that the shared receiver took or refused. */
import { setStatus } from "../../support/deliveries";
import { buildInvoice, get, post, postInvoice, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { createWebhook, type Webhook } from "./webhooks";

export type Delivery = {
	readonly deliveryId: string;
	readonly webhookId: string;
	readonly docId: string;
	readonly status: string;
	readonly [more: string]: unknown;
};
type Page = {
	readonly items: Delivery[];
	readonly count: number;
	readonly partial: boolean;
	readonly next: string | null;
};

export async function listDeliveries(service: TestService, tenant: Tenant, query = ""): Promise<Page> {
	const answer = await get(service, `/v1/webhooks/deliveries${query}`, tenant.headers);
	if (answer.status !== 200) throw new Error(`deliveries: ${answer.status} ${await answer.text()}`);
	return (await answer.json()) as Page;
}

export const getDelivery = (service: TestService, tenant: Tenant, id: string) =>
	get(service, `/v1/webhooks/deliveries/${id}`, tenant.headers);

export const redeliver = (service: TestService, tenant: Tenant, id: string, headers: Record<string, string> = {}) =>
	fetch(`${service.url}/v1/webhooks/deliveries/${id}/redeliver`, {
		method: "POST",
		headers: { ...tenant.headers, ...headers },
	});

export const recover = (
	service: TestService,
	tenant: Tenant,
	id: string,
	body: unknown,
	headers: Record<string, string> = {},
) => post(service, `/v1/webhooks/${id}/recover`, { ...tenant.headers, ...headers }, body);

/** Issues an invoice and waits until its verdict has been delivered, or written off, to all webhooks. */
export async function sendVerdict(service: TestService, tenant: Tenant): Promise<string> {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant));
	const { docId } = (await answer.json()) as { docId: string };
	await until(async () => {
		const { items } = await listDeliveries(service, tenant, `?docId=${docId}`);
		return items.length > 0 && items.every(({ status }) => status === "delivered" || status === "dead");
	});
	return docId;
}

/** A webhook whose deliveries are dead because it was disabled meanwhile. */
export async function killLetters(service: TestService, tenant: Tenant, count: number): Promise<Webhook> {
	const webhook = await createWebhook(service, tenant);
	for (let n = 0; n < count; n++) await sendVerdict(service, tenant);
	await setStatus(service.sql, "dead", service.sql`endpoint_id = ${webhook.id}`);
	return webhook;
}
