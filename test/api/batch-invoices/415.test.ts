/** Bodies of other kinds. */
import { beforeAll, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { batchInvoice, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test.each(["text/plain", "application/xml", "application/jsonlines", "application/x-ndjson; charset=latin1"])(
	"%s",
	async (type) => {
		const answer = postBatch(service, tenant, { invoices: [] }, { "content-type": type });
		await expectProblem(answer, 415, "unsupported-media-type");
	},
);

test("both kinds may name UTF-8", async () => {
	const invoice = batchInvoice(tenant);
	await readBatch(
		postBatch(service, tenant, { invoices: [invoice] }, { "content-type": "application/json; charset=utf-8" }),
	);
	const lines = postBatch(service, tenant, [JSON.stringify(invoice)], {
		"content-type": "Application/X-NDJSON; charset=UTF-8",
	});
	const { results } = await readBatch(lines);
	if (results[0]?.replayed !== true) throw new Error(`expected a repeat, got ${JSON.stringify(results)}`);
});
