import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
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
