import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { instant, uuid } from "../support/tenants";
import { createWebhook, listWebhooks, postWebhook, urlAt, type Webhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("only this answer contains the secret", async () => {
	const url = urlAt(service, "all");
	const over = {
		url,
		events: ["invoice.*", "sequence.low"],
		description: "ERP",
		rateLimitPerSecond: 20,
		ordering: "none",
		recovery: "manual",
	};
	const answer = await postWebhook(service, tenant, over);
	const webhook = (await answer.json()) as Webhook;
	expect(answer.status).toBe(201);
	expect(answer.headers.get("location")).toBe(`/v1/webhooks/${webhook.id}`);
	expect(answer.headers.get("etag")).toBe('"1"');
	expect(answer.headers.get("cache-control")).toContain("no-store");
	expect(webhook).toEqual({
		...over,
		...{ id: expect.stringMatching(uuid), status: "enabled", probe: null, version: 1 },
		...{ secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/), secretHint: `${webhook.secret?.slice(0, 10)}…` },
		...{ createdAt: expect.stringMatching(instant), updatedAt: expect.stringMatching(instant) },
		_links: { self: `/v1/webhooks/${webhook.id}` },
	});
	const { secret, ...shown } = webhook;
	expect(await listWebhooks(service, tenant)).toContainEqual(shown);
});

test("only the URL is required; defaults are the three specified events and no rate", async () => {
	expect(await createWebhook(service, tenant)).toMatchObject({
		events: ["invoice.accepted", "invoice.rejected", "invoice.failed"],
		...{ description: null, rateLimitPerSecond: null, ordering: "per_document", recovery: "automatic" },
	});
});

test("a replay returns the same webhook without its secret", async () => {
	const key = { "idempotency-key": crypto.randomUUID() };
	const over = { url: urlAt(service, "once") };
	const first = (await (await postWebhook(service, tenant, over, key)).json()) as Webhook;
	const again = await postWebhook(service, tenant, over, key);
	expect(again.status).toBe(200);
	expect(await again.json()).toEqual({ ...first, secret: null });
	expect((await listWebhooks(service, tenant)).filter(({ url }) => url === over.url)).toHaveLength(1);
	const rows = await service.sql`select answer from request_keys where operation like '%webhooks%'`;
	expect(JSON.stringify(rows)).not.toContain(first.secret ?? "none");
});
