/** A key that was used for something else, and an issuer that lacks something. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test("another batch under the same key is refused, and nothing of it is issued", async () => {
	const key = { "idempotency-key": crypto.randomUUID() };
	const [a, b] = [batchInvoice(tenant), batchInvoice(tenant)];
	expect(fates(await readBatch(postBatch(service, tenant, { invoices: [a] }, key)))).toEqual([202]);
	for (const body of [{ invoices: [a, b] }, { invoices: [b] }, [JSON.stringify(b)]])
		await expectProblem(postBatch(service, tenant, body, key), 422, "idempotency-key-reused");
	expect(
		await service.sql`select 1 from documents where encf = ${String(b.encf)} and tenant_id = ${tenant.tenantId}`,
	).toHaveLength(0);
});

test("a key of a single invoice is another key", async () => {
	const key = { "idempotency-key": crypto.randomUUID() };
	const invoice = batchInvoice(tenant);
	expect((await postInvoice(service, tenant, invoice, key)).status).toBe(202);
	expect(fates(await readBatch(postBatch(service, tenant, { invoices: [invoice] }, key)))).toEqual([200]);
});

test("without a certificate each invoice says so, and the key stays free", async () => {
	const bare = await createTenant(service);
	await service.sql`update signing_certificates set status = 'retired' where tenant_id = ${bare.tenantId}`;
	const key = { "idempotency-key": crypto.randomUUID() };
	const body = await readBatch(postBatch(service, bare, { invoices: [batchInvoice(bare), batchInvoice(bare)] }, key));
	expect(fates(body)).toEqual(["tenant-config-missing", "tenant-config-missing"]);
	expect(body.results[0]?.problem).toMatchObject({ missing: ["certificate"] });
	expect(await service.sql`select 1 from request_keys where key = ${key["idempotency-key"]}`).toHaveLength(0);
});
