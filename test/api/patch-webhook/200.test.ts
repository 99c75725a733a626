import { beforeAll, expect, test } from "bun:test";
import { createWake } from "../../../src/platform/outbox";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { until } from "../../support/until";
import { killLetters, listDeliveries } from "../support/deliveries";
import { instant } from "../support/tenants";
import { createWebhook, getWebhook, patchWebhook, urlAt, type Webhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("what is absent stays, null clears, and the version counts on", async () => {
	const { secret, ...before } = await createWebhook(service, tenant, { description: "ERP", rateLimitPerSecond: 5 });
	const url = urlAt(service, "moved");
	const answer = await patchWebhook(service, tenant, before.id, { url, events: ["*"], rateLimitPerSecond: null });
	expect(answer.status).toBe(200);
	expect(answer.headers.get("etag")).toBe('"2"');
	const after = (await answer.json()) as Webhook;
	expect(after).toEqual({
		...before,
		...{ url, events: ["*"], rateLimitPerSecond: null, version: 2, updatedAt: expect.any(String) },
	});
	expect(await (await getWebhook(service, tenant, before.id)).json()).toEqual(after);
});

test("plain JSON is a merge patch too", async () => {
	const { id } = await createWebhook(service, tenant);
	const json = { "content-type": "application/json" };
	const answer = await patchWebhook(service, tenant, id, { description: "Caja 7", ordering: "none" }, json);
	expect(await answer.json()).toMatchObject({ description: "Caja 7", ordering: "none" });
});

test("how dead letters go out again is changed by the version that If-Match names", async () => {
	const { id } = await createWebhook(service, tenant);
	const manual = await patchWebhook(service, tenant, id, { recovery: "manual" }, { "if-match": '"1"' });
	expect(await manual.json()).toMatchObject({ recovery: "manual", probe: null, version: 2 });
	expect((await patchWebhook(service, tenant, id, { recovery: "automatic" }, { "if-match": '"1"' })).status).toBe(412);
	const automatic = await patchWebhook(service, tenant, id, { recovery: "automatic" }, { "if-match": '"2"' });
	expect(await automatic.json()).toMatchObject({ recovery: "automatic", version: 3 });
});

test.each([{ status: "disabled" }, { recovery: "manual" }])("a probe under way ends with %p", async (change) => {
	const { id } = await createWebhook(service, tenant);
	await service.sql`
		update webhook_endpoints set probe_id = gen_random_uuid(), probe_failures = 2, probe_passes = 0,
			probe_next_at = now() + interval '15 minutes'
		where id = ${id}`;
	const before = (await (await getWebhook(service, tenant, id)).json()) as Webhook;
	expect(before).toMatchObject({ probe: { status: "waiting", attempts: 2, nextAt: expect.stringMatching(instant) } });
	expect(await (await patchWebhook(service, tenant, id, { description: "x" })).json()).toMatchObject({
		probe: before.probe,
	});
	expect(await (await patchWebhook(service, tenant, id, change)).json()).toMatchObject({ probe: null });
	expect(await (await getWebhook(service, tenant, id)).json()).toMatchObject({ probe: null });
});

test.each([
	[{ recovery: "manual" }, { recovery: "automatic" }],
	[{ status: "disabled" }, { status: "enabled" }],
])("dead letters of recovery %p are retried after %p", async (before, after) => {
	const { id } = await killLetters(service, tenant, 1);
	expect(await (await patchWebhook(service, tenant, id, before)).json()).toMatchObject({ probe: null, version: 2 });
	expect(await (await patchWebhook(service, tenant, id, after)).json()).toMatchObject({
		...{ probe: { status: "waiting", attempts: 0, nextAt: expect.stringMatching(instant) }, version: 3 },
	});
	await service.sql`update outbox set available_at = now() where kind = 'webhook.probe' and subject = ${id}`;
	createWake(service.sql)();
	await until(async () => (await listDeliveries(service, tenant, `?webhookId=${id}&status=delivered`)).count === 1);
});

test("dead letters of a disabled webhook are not retried when it is enabled", async () => {
	const { id } = await killLetters(service, tenant, 1);
	await service.sql`update deliveries set recoveries_left = 0 where endpoint_id = ${id}`;
	await patchWebhook(service, tenant, id, { status: "disabled" });
	expect(await (await patchWebhook(service, tenant, id, { status: "enabled" })).json()).toMatchObject({ probe: null });
});

test("a webhook is disabled and enabled again", async () => {
	const { id } = await createWebhook(service, tenant);
	for (const status of ["disabled", "enabled"]) {
		expect(await (await patchWebhook(service, tenant, id, { status })).json()).toMatchObject({ status });
	}
});

test("the version that If-Match names is changed, by one of many at once", async () => {
	const { id } = await createWebhook(service, tenant);
	const answers = await Promise.all(
		[1, 2, 3, 4, 5].map((n) => patchWebhook(service, tenant, id, { description: `${n}` }, { "if-match": '"1"' })),
	);
	expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412]);
	expect((await patchWebhook(service, tenant, id, { events: ["*"] }, { "if-match": "*" })).status).toBe(200);
});

test("a replay returns the first answer whatever If-Match says", async () => {
	const { id } = await createWebhook(service, tenant);
	const headers = { "idempotency-key": crypto.randomUUID(), "if-match": '"1"' };
	const first = await patchWebhook(service, tenant, id, { description: "Caja 1" }, headers);
	expect([first.status, first.headers.get("idempotency-replayed")]).toEqual([200, null]);
	await patchWebhook(service, tenant, id, { description: "Caja 2" });
	const repeat = await patchWebhook(service, tenant, id, { description: "Caja 1" }, headers);
	expect([repeat.status, repeat.headers.get("idempotency-replayed"), repeat.headers.get("etag")]).toEqual([
		...[200, "true", '"2"'],
	]);
	expect(await repeat.text()).toBe(await first.text());
	expect(await (await getWebhook(service, tenant, id)).json()).toMatchObject({ description: "Caja 2", version: 3 });
});
