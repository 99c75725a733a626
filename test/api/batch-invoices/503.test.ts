/** If the database cannot work, the batch is refused as a whole, since each invoice would get the same problem. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { cutShort } from "../support/cut-short";
import { expectProblem } from "../support/problem";
import { createNumbered, postSequence } from "../support/sequences";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a batch whose statement timed out is refused and succeeds later", async () => {
	const body = { invoices: [batchInvoice(tenant), batchInvoice(tenant)] };
	const key = { "idempotency-key": crypto.randomUUID() };
	const answer = await cutShort(service, { table: "documents", words: "intake" }, () =>
		postBatch(service, tenant, body, key),
	);
	expect(answer.headers.get("retry-after")).toBe("1");
	await expectProblem(Promise.resolve(answer), 503, "service-unavailable");
	expect(await service.sql`select 1 from documents where tenant_id = ${tenant.tenantId}`).toHaveLength(0);
	expect(fates(await readBatch(postBatch(service, tenant, body, key)))).toEqual([202, 202]);
});

test("a batch that cannot get numbers in time is refused as a whole", async () => {
	const numbered = await createNumbered(service);
	await postSequence(service, numbered, [1, 20]);
	const body = { invoices: [batchInvoice(numbered, { encf: "auto" })] };
	const key = { "idempotency-key": crypto.randomUUID() };
	const answer = await cutShort(
		service,
		{ table: "sequence_holds", words: "update sequence_holds h set expires_at" },
		() => postBatch(service, numbered, body, key),
	);
	await expectProblem(Promise.resolve(answer), 503, "service-unavailable");
	expect(fates(await readBatch(postBatch(service, numbered, body, key)))).toEqual([202]);
});
