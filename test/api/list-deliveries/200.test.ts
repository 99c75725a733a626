import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { listDeliveries, sendVerdict } from "../support/deliveries";
import { instant } from "../support/tenants";
import { createWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a company without events has no deliveries", async () => {
	expect(await listDeliveries(service, tenant)).toEqual({ items: [], count: 0, partial: false, next: null });
});

test("deliveries are listed newest first, a page at a time, each with its last attempt", async () => {
	const own = await createTenant(service);
	const { id } = await createWebhook(service, own);
	const docIds = [await sendVerdict(service, own), await sendVerdict(service, own), await sendVerdict(service, own)];
	const first = await listDeliveries(service, own, "?limit=2");
	expect(first).toMatchObject({ count: 2, partial: true });
	const second = await listDeliveries(service, own, `?limit=2&after=${first.next}`);
	expect(second).toMatchObject({ count: 1, partial: false, next: null });
	const all = [...first.items, ...second.items];
	expect(all.map(({ docId }) => docId)).toEqual(docIds.toReversed());
	const [newest] = all;
	expect(newest).toEqual({
		...{
			deliveryId: newest?.deliveryId ?? "",
			webhookId: id,
			event: "invoice.accepted",
			docId: docIds[2] ?? "",
			sequence: 3,
		},
		...{ status: "delivered", reason: null, createdAt: expect.stringMatching(instant) },
		...{ deliveredAt: expect.stringMatching(instant), deadAt: null },
		// A delivery may have several attempts; the last one is shown.
		attemptCount: expect.any(Number),
		lastAttempt: {
			n: newest?.attemptCount as number,
			at: expect.stringMatching(instant),
			durationMs: expect.any(Number),
			responseStatus: 204,
			error: null,
		},
		_links: {
			self: `/v1/webhooks/deliveries/${newest?.deliveryId}`,
			redeliver: `/v1/webhooks/deliveries/${newest?.deliveryId}/redeliver`,
		},
	});
});

test("filters work for status, webhook, event and document, within one company", async () => {
	const own = await createTenant(service);
	const [one, other] = [await createWebhook(service, own), await createWebhook(service, own)];
	const docId = await sendVerdict(service, own);
	await sendVerdict(service, own);
	const count = async (query: string, who = own) => (await listDeliveries(service, who, query)).count;
	expect(await count("")).toBe(4);
	expect(await count(`?webhookId=${one.id}`)).toBe(2);
	expect(await count(`?webhookId=${other.id}&docId=${docId}`)).toBe(1);
	expect(await count("?status=delivered&event=invoice.accepted")).toBe(4);
	expect(await count("?status=dead")).toBe(0);
	expect(await count("?event=invoice.rejected")).toBe(0);
	expect(await count(`?docId=${docId}`, tenant)).toBe(0);
});
