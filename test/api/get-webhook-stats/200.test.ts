import { expect, test } from "bun:test";
import { setStatus } from "../../support/deliveries";
import { createTenant, get, sharedService, type Tenant } from "../../support/service";
import { sendVerdict } from "../support/deliveries";
import { instant, tenantB } from "../support/tenants";
import { createWebhook } from "../support/webhooks";

type Stats = {
	readonly counts: Readonly<Record<string, number>>;
	readonly steps: readonly { readonly delivered: number; readonly undelivered: number }[];
	readonly [more: string]: unknown;
};

async function statsOf(tenant: Tenant, id: string, query = ""): Promise<[number, Stats]> {
	const answer = await get(await sharedService(), `/v1/webhooks/${id}/stats${query}`, tenant.headers);
	return [answer.status, (await answer.json()) as Stats];
}

test("a webhook's deliveries are counted by their status, in steps of the window", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id } = await createWebhook(service, tenant);
	expect((await statsOf(tenant, id))[1]).toMatchObject({ window: "24h", success: null, p50Ms: null, p95Ms: null });
	const docIds = [await sendVerdict(service, tenant), await sendVerdict(service, tenant)];
	await sendVerdict(service, tenant);
	await setStatus(service.sql, "dead", service.sql`doc_id = ${docIds[0] ?? ""}`);
	for (const [window, count, stepSeconds] of [
		["1h", 12, 300],
		["24h", 24, 3_600],
		["7d", 28, 21_600],
	] as const) {
		const [status, stats] = await statsOf(tenant, id, `?window=${window}`);
		expect([status, stats]).toEqual([
			200,
			{
				...{ webhookId: id, window, from: expect.stringMatching(instant), to: expect.stringMatching(instant) },
				...{ counts: { delivered: 2, failed: 0, dead: 1, pending: 0 }, success: 0.6667 },
				...{ p50Ms: expect.any(Number), p95Ms: expect.any(Number), stepSeconds, partial: false },
				steps: expect.any(Array),
			},
		]);
		expect(stats.steps).toHaveLength(count);
		// A delivery may fall into either of the last two steps.
		const last = stats.steps.slice(-2);
		expect(last.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(2);
		expect(last.reduce((sum, { undelivered }) => sum + undelivered, 0)).toBe(1);
	}
});

test("an unknown window is refused, and another tenant's webhook is not there", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id } = await createWebhook(service, tenant);
	expect(await statsOf(tenant, id, "?window=1y")).toMatchObject([400, { errors: [{ pointer: "#/query/window" }] }]);
	expect((await statsOf(await tenantB(), id))[0]).toBe(404);
	expect((await statsOf(tenant, "x"))[0]).toBe(404);
});
