/** More bytes than a batch may have, and more than one of its invoices may. */
import { beforeAll, expect, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

const MIB = 1024 * 1024;

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test("over 16 MiB nothing is read", async () => {
	const answer = postBatch(service, tenant, " ".repeat(16 * MIB + 1));
	expect(await expectProblem(answer, 413, "payload-too-large")).toMatchObject({ limitBytes: 16 * MIB });
});

test("an invoice over 2 MiB is refused alone", async () => {
	const large = { ...batchInvoice(tenant), notes: "x".repeat(2 * MIB) };
	const lines = [JSON.stringify(large), JSON.stringify(batchInvoice(tenant))];
	const body = await readBatch(postBatch(service, tenant, lines));
	expect(fates(body)).toEqual(["payload-too-large", 202]);
	expect(body.results[0]?.problem).toMatchObject({ limitBytes: 2 * MIB });
});
