/** Batches of invoices whose numbers the service gives. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { expectProblem } from "../support/problem";
import { createNumbered, encfOf, postSequence } from "../support/sequences";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const auto = (tenant: Tenant, over: Record<string, unknown> = {}) => batchInvoice(tenant, { encf: "auto", ...over });
const key = () => ({ "idempotency-key": crypto.randomUUID() });
const available = async (tenant: Tenant) => {
	const answer = await get(service, "/v1/sequences", tenant.headers);
	return ((await answer.json()) as { items: { available: number }[] }).items[0]?.available;
};

test("each invoice gets a number of its own, and those that are refused take none", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 20]);
	const bad = auto(tenant, { totals: { subtotal: "4500.00", tax: "810.00", grand_total: "1.00" } });
	const invoices = [auto(tenant), bad, auto(tenant), batchInvoice(tenant, { encf: encfOf(15) }), auto(tenant)];
	const body = await readBatch(postBatch(service, tenant, { invoices }, key()));
	expect(fates(body)).toEqual([202, "mathematical-discrepancy", 202, 202, 202]);
	const given = body.results.flatMap(({ encf }) => encf ?? []);
	expect(given.sort()).toEqual([1, 2, 3, 15].map((n) => encfOf(n)));
	// The one that its caller has numbered is used as well.
	expect(await available(tenant)).toBe(16);
});

test("a batch for which the numbers do not suffice is issued as far as they go", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 2]);
	const body = await readBatch(postBatch(service, tenant, { invoices: [1, 2, 3, 4].map(() => auto(tenant)) }, key()));
	expect(fates(body).sort()).toEqual([202, 202, "sequence-exhausted", "sequence-exhausted"]);
});

test("one batch under several keys issues each invoice once", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 20]);
	const invoices = [auto(tenant), auto(tenant), auto(tenant)];
	const bodies = await Promise.all([1, 2, 3, 4].map(() => readBatch(postBatch(service, tenant, { invoices }, key()))));
	expect(bodies.flatMap(fates).toSorted()).toEqual([...Array(9).fill(200), ...Array(3).fill(202)]);
	const issued = bodies.map(({ results }) => results.map(({ docId }) => docId));
	expect(new Set(issued.flat()).size).toBe(3);
	expect(await available(tenant)).toBe(17);
});

test("a dry run shows the next number and does not take it", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [7, 8], { expiresAt: "2029-12-31" });
	const rehearse = () =>
		post(service, "/v1/invoices?dry_run=true", tenant.headers, buildInvoice(tenant, { encf: "auto" }));
	for (let n = 0; n < 3; n++) {
		expect(await (await rehearse()).json()).toMatchObject({ encf: encfOf(7), sequenceExpiresOn: "2029-12-31" });
	}
	expect(await available(tenant)).toBe(2);
	await readBatch(postBatch(service, tenant, { invoices: [auto(tenant), auto(tenant)] }, key()));
	await expectProblem(rehearse(), 422, "sequence-exhausted");
});
