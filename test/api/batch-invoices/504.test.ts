/** A company that would rather be refused while the authority is away is refused as a whole. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("neither documents nor the key are stored, and the batch succeeds later", async () => {
	const cautious = await createTenant(service, {
		company: { authorityEnvironment: "certification", settings: { outagePolicy: "reject" } },
	});
	const key = { "idempotency-key": crypto.randomUUID() };
	const body = { invoices: [batchInvoice(cautious), batchInvoice(cautious)] };
	await service.sql`
		insert into authority_breaker (segment, failures, open_until) values ('certecf reception', 5, now() + interval '1 minute')
		on conflict (segment) do update set failures = 5, open_until = excluded.open_until`;
	try {
		const problem = await expectProblem(postBatch(service, cautious, body, key), 504, "authority-unavailable");
		expect(problem).toMatchObject({ stored: false, retryable: true });
		expect(await service.sql`select 1 from documents where tenant_id = ${cautious.tenantId}`).toHaveLength(0);
	} finally {
		await service.sql`update authority_breaker set failures = 0, open_until = null`;
	}
	expect(fates(await readBatch(postBatch(service, cautious, body, key)))).toEqual([202, 202]);
});
