/** The number of a dry run is the one that issuing then assigns. */
import { beforeAll, expect, test } from "bun:test";
import { buildInvoice, post, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { createNumbered, encfOf, postSequence } from "../support/sequences";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const AUTO = { encf: "auto" };

async function rehearsedAndIssued(tenant: Tenant): Promise<unknown[]> {
	const rehearsed = await post(
		service,
		"/v1/invoices?dry_run=true",
		{ ...tenant.headers, "idempotency-key": crypto.randomUUID() },
		buildInvoice(tenant, AUTO),
	);
	const issued = await postInvoice(service, tenant, buildInvoice(tenant, AUTO));
	const found: unknown[] = [];
	for (const answer of [rehearsed, issued]) {
		found.push(answer.status, ((await answer.json()) as { encf?: string }).encf);
	}
	return found;
}

test("after a void of a type that nothing was registered for", async () => {
	const tenant = await createNumbered(service);
	const range = { type: "31", from: "E310000000001", to: "E310000000010", reason: "Caja cerrada" };
	expect((await post(service, "/v1/sequences/void", tenant.headers, range)).status).toBe(202);
	expect(await rehearsedAndIssued(tenant)).toEqual([200, "E310000000011", 202, "E310000000011"]);
});

test("after caller-numbered documents, in test and registered ranges", async () => {
	const newcomer = await createNumbered(service);
	expect((await postInvoice(service, newcomer, buildInvoice(newcomer, { encf: "E310000000001" }))).status).toBe(202);
	expect(await rehearsedAndIssued(newcomer)).toEqual([200, "E310000000002", 202, "E310000000002"]);

	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 10]);
	for (const number of [1, 2, 4]) {
		expect((await postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(number) }))).status).toBe(202);
	}
	expect(await rehearsedAndIssued(tenant)).toEqual([200, encfOf(3), 202, encfOf(3)]);
	expect(await rehearsedAndIssued(tenant)).toEqual([200, encfOf(5), 202, encfOf(5)]);
});

test("of a repeat it is the number that the document has, also when no other is left", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 1], { expiresAt: "2029-12-31" });
	const invoice = buildInvoice(tenant, { ...AUTO, client_request_id: `crid-${crypto.randomUUID()}` });
	const { docId } = (await (await postInvoice(service, tenant, invoice)).json()) as { docId: string };
	const rehearse = () => post(service, "/v1/invoices?dry_run=true", tenant.headers, invoice);
	const own = { duplicateOf: docId, encf: encfOf(1), sequenceExpiresOn: "2029-12-31" };
	expect(await (await rehearse()).json()).toMatchObject(own);
	expect((await postInvoice(service, tenant, invoice)).status).toBe(200);
	await postSequence(service, tenant, [5, 9]);
	expect(await (await rehearse()).json()).toMatchObject(own);
});

test("of a repeat of a type without a last day it is the document's own as well", async () => {
	const tenant = await createNumbered(service);
	const invoice = buildInvoice(tenant, { ...AUTO, type: "32", client_request_id: `crid-${crypto.randomUUID()}` });
	const { docId, encf } = (await (await postInvoice(service, tenant, invoice)).json()) as Record<string, string>;
	const rehearsed = await post(service, "/v1/invoices?dry_run=true", tenant.headers, invoice);
	expect(await rehearsed.json()).toMatchObject({ duplicateOf: docId, encf, sequenceExpiresOn: null });
});
