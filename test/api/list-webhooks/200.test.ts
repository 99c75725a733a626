import { beforeAll, expect, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { createWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a company without webhooks has an empty list", async () => {
	const answer = await get(service, "/v1/webhooks", tenant.headers);
	expect(answer.status).toBe(200);
	expect(await answer.json()).toEqual({ items: [], count: 0, partial: false, next: null });
});

test("webhooks are listed oldest first, within one company", async () => {
	const own = await createTenant(service, { webhook: true });
	await createWebhook(service, tenant);
	const later = await createWebhook(service, own);
	const answer = await get(service, "/v1/webhooks", own.headers);
	const { items, count } = (await answer.json()) as { items: { id: string; secretHint: string }[]; count: number };
	expect(count).toBe(2);
	expect(items[1]?.id).toBe(later.id);
	expect(items[0]?.secretHint).toBe(`${own.webhookSecret.slice(0, 10)}…`);
	expect(JSON.stringify(items)).not.toContain(own.webhookSecret);
});

test("a webhook that is removed between two pages skips no other", async () => {
	const own = await createTenant(service);
	const ids = [];
	for (let n = 0; n < 3; n++) ids.push((await createWebhook(service, own)).id);
	const page = async (query: string) => (await get(service, `/v1/webhooks?${query}`, own.headers)).json();
	expect(await page("limit=2")).toMatchObject({
		items: ids.slice(0, 2).map((id) => ({ id })),
		partial: true,
		next: ids[1],
	});
	await fetch(`${service.url}/v1/webhooks/${ids[1]}`, { method: "DELETE", headers: own.headers });
	expect(await page(`limit=2&after=${ids[1]}`)).toMatchObject({
		items: [{ id: ids[2] }],
		count: 1,
		partial: false,
		next: null,
	});
});
