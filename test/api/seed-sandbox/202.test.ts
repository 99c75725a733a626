/** Made-up documents go through the usual pipe and get mixed verdicts. */
import { expect, test } from "bun:test";
import { createTenant, get, post, sharedService, type Tenant } from "../../support/service";
import { until } from "../../support/until";
import { createNumbered } from "../support/sequences";

const KEY = "1b671a64-40d5-491e-99b0-da01ff1f3341";

async function seed(tenant: Tenant, documents: unknown, key?: string) {
	const headers = { ...tenant.headers, ...(key ? { "idempotency-key": key } : {}) };
	const answer = await post(await sharedService(), "/v1/sandbox/seed", headers, { documents });
	return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
}

type Item = { readonly type: string; readonly status: string; readonly issueDate: string };

async function listOf(tenant: Tenant): Promise<Item[]> {
	const answer = await get(await sharedService(), "/v1/invoices?limit=100", tenant.headers);
	return ((await answer.json()) as { items: Item[] }).items;
}

test("documents of the last days are issued once", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service, { plan: "free" });
	const first = await seed(tenant, 60, KEY);
	expect(first).toMatchObject({ status: 202, body: { issued: 60 } });
	expect((await seed(tenant, 60, KEY)).body.issued).toBe(0);
	const items = await listOf(tenant);
	expect(items).toHaveLength(60);
	expect(new Set(items.map(({ type }) => type))).toContain("34");
	const days = items.map(({ issueDate }) => issueDate).sort();
	const { from, to } = first.body;
	expect(days.every((day) => String(from) <= day && day <= String(to))).toBe(true);
	expect(new Set(days).size).toBeGreaterThan(10);
	await until(async () => (await listOf(tenant)).filter(({ status }) => status === "accepted").length > 40);
});

test("one document is issued too", async () => {
	const tenant = await createNumbered(await sharedService());
	expect(await seed(tenant, 1)).toMatchObject({ status: 202, body: { issued: 1 } });
	expect(await seed(tenant, 1)).toMatchObject({ status: 202, body: { issued: 1 } });
});

test("other counts, and companies that number their documents, are refused", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	for (const documents of [0, 501, 1.5, "9", null])
		expect(await seed(tenant, documents)).toMatchObject({ status: 400, body: { errors: [{ pointer: "/documents" }] } });
	const own = await createTenant(service);
	expect(await seed(own, 5)).toMatchObject({ status: 422, body: { missing: ["sequenceMode"] } });
});
