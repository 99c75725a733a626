/** Repeats of an invoice: the first answer again. */
import { beforeAll, describe, expect, test } from "bun:test";
import { buildInvoice, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { tenantA, tenantB } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const send = (body: unknown, key: string, headers: Record<string, string> = {}) =>
	postInvoice(service, tenant, body, { "idempotency-key": key, ...headers });

async function expectReplay(answer: Response, first: string): Promise<void> {
	expect(answer.status).toBe(200);
	expect(answer.headers.get("idempotency-replayed")).toBe("true");
	expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
	expect(answer.headers.get("location")).toBe(`/v1/invoices/${JSON.parse(first).docId}`);
	expect(answer.headers.get("retry-after")).toBe(JSON.parse(first).status === "pending" ? "5" : null);
	expect(await answer.text()).toBe(first);
}

describe("the same key", () => {
	test("answers the same bytes, however often and whatever became of the document", async () => {
		const invoice = buildInvoice(tenant);
		const key = crypto.randomUUID();
		const first = await (await send(invoice, key)).text();
		await expectReplay(await send(invoice, key), first);
		expect((await send(invoice, key, { prefer: "wait=10" })).status).toBe(200);
		await expectReplay(await send(invoice, key), first);
		expect(JSON.parse(first).status).toBe("pending");
	});

	test("is the same in capitals", async () => {
		const invoice = buildInvoice(tenant);
		const key = crypto.randomUUID();
		const first = await (await send(invoice, key)).text();
		await expectReplay(await send(invoice, key.toUpperCase()), first);
	});

	test("knows its payload in another order of members, other white space and other zeros", async () => {
		const invoice = buildInvoice(tenant);
		const key = crypto.randomUUID();
		const first = await (await send(invoice, key)).text();
		const turned = Object.fromEntries(Object.entries(invoice).reverse());
		const totals = { grand_total: "5310", tax: "810.000", subtotal: "4500.0" };
		await expectReplay(await send(JSON.stringify({ ...turned, totals }, null, 4), key), first);
	});

	test("of another tenant is another key", async () => {
		const other = await tenantB();
		const key = crypto.randomUUID();
		const mine = await send(buildInvoice(tenant), key);
		const theirs = await postInvoice(service, other, buildInvoice(other), { "idempotency-key": key });
		expect([mine.status, theirs.status]).toEqual([202, 202]);
	});

	test("after a waited rejection answers the acknowledgement", async () => {
		const invoice = buildInvoice(tenant, { customer: { rnc: "000000002", name: "RECHAZADO" } });
		const key = crypto.randomUUID();
		const rejected = await send(invoice, key, { prefer: "wait=10" });
		expect(rejected.status).toBe(422);
		const { docId } = (await rejected.json()) as { docId: string };
		const again = await send(invoice, key);
		const first = await again.clone().text();
		await expectReplay(again, first);
		expect(JSON.parse(first)).toMatchObject({ docId, status: "pending" });
		await expectReplay(await send(invoice, key, { prefer: "wait=10" }), first);
	});

	test("sent thirty times at once makes one document: one 202, twenty-nine 200", async () => {
		const invoice = buildInvoice(tenant);
		const key = crypto.randomUUID();
		const answers = await Promise.all(Array.from({ length: 30 }, () => send(invoice, key)));
		const statuses = answers.map((answer) => answer.status).sort();
		expect(statuses).toEqual([...Array.from({ length: 29 }, () => 200), 202]);
		expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
		const rows = await service.sql`
			select 1 from documents where tenant_id = ${tenant.tenantId} and encf = ${String(invoice.encf)}`;
		expect(rows).toHaveLength(1);
	});

	test("is free again when nothing was stored: a corrected request may use it", async () => {
		const key = crypto.randomUUID();
		const invoice = buildInvoice(tenant);
		expect((await send({ ...invoice, totals: undefined }, key)).status).toBe(400);
		expect((await send(invoice, key)).status).toBe(202);
	});

	test("older than a day is a new key, and the number still protects", async () => {
		const invoice = buildInvoice(tenant);
		const key = crypto.randomUUID();
		expect((await send(invoice, key)).status).toBe(202);
		await service.sql`update request_keys set created_at = now() - interval '24 hours 1 second' where key = ${key}`;
		expect((await send(invoice, key)).status).toBe(422);
		expect((await send(buildInvoice(tenant), key)).status).toBe(202);
	});
});

describe("the same client_request_id under a new key", () => {
	test("answers the first document and names it", async () => {
		const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
		const first = await (await send(invoice, crypto.randomUUID())).text();
		const key = crypto.randomUUID();
		const again = await send(invoice, key);
		expect(again.headers.get("x-duplicate-of")).toBe(`${JSON.parse(first).docId}; by=client_request_id`);
		await expectReplay(again, first);
		// The new key now knows the answer by itself.
		const third = await send(invoice, key);
		expect(third.headers.get("x-duplicate-of")).toBeNull();
		await expectReplay(third, first);
	});

	test("sent ten times at once makes one document", async () => {
		const invoice = buildInvoice(tenant, { client_request_id: `crid-${crypto.randomUUID()}` });
		const answers = await Promise.all(Array.from({ length: 10 }, () => send(invoice, crypto.randomUUID())));
		const statuses = answers.map((answer) => answer.status).sort();
		expect(statuses).toEqual([...Array.from({ length: 9 }, () => 200), 202]);
		expect(new Set(await Promise.all(answers.map((answer) => answer.text()))).size).toBe(1);
	});

	test("belongs to its tenant alone", async () => {
		const other = await tenantB();
		const client_request_id = `crid-${crypto.randomUUID()}`;
		expect((await send(buildInvoice(tenant, { client_request_id }), crypto.randomUUID())).status).toBe(202);
		expect((await postInvoice(service, other, buildInvoice(other, { client_request_id }))).status).toBe(202);
	});
});
