/** Test events: what is sent, and what is reported. */

import { beforeAll, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { allDeliveries } from "../../support/deliveries";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { instant, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
});

type Sent = { headers: Record<string, string>; body: string };
type EmailFacts = {
	deliveries: { deliveryId: string; request: Sent; [more: string]: unknown }[];
	delivered: number;
	failed: number;
};
const bearer = (who = tenant) => ({ authorization: `Bearer ${who.token}` });
const ask = async (body: unknown = undefined): Promise<EmailFacts> => {
	const answer = await fetch(`${service.url}/v1/webhooks/test`, {
		method: "POST",
		headers: { ...bearer(), ...(body === undefined ? {} : { "content-type": "application/json" }) },
		...(body === undefined ? {} : { body: JSON.stringify(body) }),
	});
	expect(answer.status).toBe(200);
	return (await answer.json()) as EmailFacts;
};

test("without a body: one signed request to the endpoint, reported completely", async () => {
	const found = await ask();
	const url = `http://${service.receiver.host}/${tenant.rnc}`;
	const [delivery] = found.deliveries;
	if (!delivery) throw new Error("no delivery was reported");
	expect(found).toEqual({
		deliveries: [
			{
				...{ deliveryId: expect.stringMatching(uuid), webhookId: expect.stringMatching(uuid), url },
				...{ event: "webhook.test", delivered: true, responseStatus: 204, durationMs: expect.any(Number) },
				...{ attemptedAt: expect.stringMatching(instant), error: null, responseBody: "" },
				request: { headers: expect.any(Object), body: expect.any(String) },
			},
		],
		delivered: 1,
		failed: 0,
	});
	const received = service.receiver.received.find((one) => one.headers["x-service-delivery"] === delivery.deliveryId);
	expect(received?.body.toString()).toBe(delivery.request.body);
	expect(JSON.parse(delivery.request.body)).toEqual({
		...{ event: "webhook.test", docId: expect.stringMatching(uuid), trackId: expect.stringMatching(uuid) },
		...{ tenantId: tenant.tenantId, occurredAt: expect.stringMatching(instant), test: true },
	});
	for (const [name, value] of Object.entries(delivery.request.headers)) {
		expect(received?.headers[name.toLowerCase()]).toBe(value);
	}
	const [, t = "", v1 = ""] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(received?.headers["x-service-signature"] ?? "") ?? [];
	expect(v1).toBe(
		createHmac("sha256", tenant.webhookSecret)
			.update(`${t}.`)
			.update(received?.body ?? "")
			.digest("hex"),
	);
	expect(Math.abs(Date.now() / 1000 - Number(t))).toBeLessThan(300);
	expect(received?.headers).toMatchObject({
		"content-type": "application/json",
		"x-service-event": "webhook.test",
		"x-service-attempt": "1",
		"user-agent": "ecf-webhooks/1",
		"webhook-id": delivery.deliveryId,
	});
});

test("an unknown name and a blocked address read alike", async () => {
	const other = await createTenant(service, { webhook: true });
	for (const url of ["https://sello.invalid/", "https://10.0.0.1/"]) {
		await service.owner`update webhook_endpoints set url = ${url} where tenant_id = ${other.tenantId}`;
		const answer = await post(service, "/v1/webhooks/test", bearer(other), {});
		const { deliveries } = (await answer.json()) as { deliveries: { error: string; responseStatus: null }[] };
		expect(deliveries).toMatchObject([{ delivered: false, responseStatus: null, error: "unreachable" }]);
	}
});

test("another event may be played, and one endpoint chosen", async () => {
	const webhookId = (await ask()).deliveries[0]?.webhookId;
	const found = await ask({ event: "invoice.rejected", webhookId });
	expect(found.deliveries).toHaveLength(1);
	expect(JSON.parse(found.deliveries[0]?.request.body ?? "")).toMatchObject({ event: "invoice.rejected", test: true });
});

test("an endpoint that fails is a finding, not a failure; nothing is retried", async () => {
	const path = `/${tenant.rnc}-down`;
	const other = await createTenant(service, { company: { webhookUrl: `http://${service.receiver.host}${path}` } });
	service.receiver.answer(path, 500);
	const answer = await post(service, "/v1/webhooks/test", bearer(other), {});
	expect(answer.status).toBe(200);
	expect(await answer.json()).toMatchObject({
		deliveries: [{ delivered: false, responseStatus: 500, error: null }],
		delivered: 0,
		failed: 1,
	});
	expect(service.receiver.received.filter((one) => one.path === path)).toHaveLength(1);
	expect(
		await service.sql`select 1 from ${allDeliveries(service.sql)} d where tenant_id = ${other.tenantId}`,
	).toHaveLength(0);
});
