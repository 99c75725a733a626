/** Where many documents stand, by any of their names. */
import { beforeAll, expect, test } from "bun:test";
import {
	createTenant,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { batchInvoice, postBatch, readBatch } from "../support/batches";
import { documentOf } from "../support/documents";
import { freeTenant, tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Result = Record<string, unknown> & { outcome: string; invoice?: Record<string, unknown> };
type Body = { results: Result[]; found: number; pending: number };
const ask = async (who: Tenant, question: unknown) => {
	const answer = await post(service, "/v1/invoices:status", who.headers, question);
	expect(answer.status).toBe(200);
	expect(answer.headers.get("cache-control")).toBe("private, no-store");
	return { answer, body: (await answer.json()) as Body };
};

test("each as its own status shows it, in the order asked", async () => {
	const [accepted, rejected, failed] = [
		await documentOf("accepted"),
		await documentOf("rejected"),
		await documentOf("failed"),
	];
	const docIds = [rejected.docId, accepted.docId];
	const { body, answer } = await ask(tenant, { encfs: [failed.request.encf], docIds });
	expect(body.results.map(({ outcome, invoice, ...asked }) => [asked, outcome, invoice?.docId])).toEqual([
		[{ docId: rejected.docId }, "found", rejected.docId],
		[{ docId: accepted.docId }, "found", accepted.docId],
		[{ encf: failed.request.encf }, "found", failed.docId],
	]);
	expect([body.found, body.pending, answer.headers.get("retry-after")]).toEqual([3, 0, null]);
	const own = await get(service, `/v1/invoices/${rejected.docId}/status`, tenant.headers);
	expect(body.results[0]?.invoice).toEqual((await own.json()) as Record<string, unknown>);
});

test("by the client's own ids, and one document under three names", async () => {
	const invoice = batchInvoice(tenant);
	const { results } = await readBatch(postBatch(service, tenant, { invoices: [invoice] }));
	const docId = results[0]?.docId ?? "";
	const { client_request_id, encf } = invoice;
	const { body } = await ask(tenant, { client_request_ids: [client_request_id], encfs: [encf], docIds: [docId] });
	expect(body.results.map((result) => result.invoice?.docId)).toEqual([docId, docId, docId]);
	expect(body.found).toBe(3);
	expect(body.pending).toBeLessThanOrEqual(1);
});

test("pending ones say when to ask again, by the plan", async () => {
	for (const [who, seconds] of [
		[tenant, "5"],
		[await freeTenant(), "30"],
	] as const) {
		const silent = { customer: { rnc: "000000004", name: "SILENCIO" } };
		const posted = await postInvoice(service, who, batchInvoice(who, silent));
		const { docId } = (await posted.json()) as { docId: string };
		const { answer, body } = await ask(who, { docIds: [docId, docId] });
		expect([answer.headers.get("retry-after"), body.pending, body.found]).toEqual([seconds, 1, 2]);
	}
});

test("a number that the authority gave back finds its newest document", async () => {
	const invoice = batchInvoice(tenant, { customer: { rnc: "000000007", name: "DEVUELTO" } });
	const old = await readBatch(postBatch(service, tenant, { invoices: [invoice] }));
	const oldId = old.results[0]?.docId ?? "";
	expect(await untilDecided(service, tenant, oldId)).toMatchObject({ status: "rejected" });
	const again = await readBatch(
		postBatch(service, tenant, { invoices: [batchInvoice(tenant, { encf: invoice.encf })] }),
	);
	const { body } = await ask(tenant, { encfs: [invoice.encf], docIds: [oldId] });
	expect(body.results.map((result) => result.invoice?.docId)).toEqual([oldId, again.results[0]?.docId]);
});

test("what is another tenant's, what never was and what is no id are not_found alike", async () => {
	const invoice = batchInvoice(tenant);
	const { results } = await readBatch(postBatch(service, tenant, { invoices: [invoice] }));
	const docIds = [results[0]?.docId, UNKNOWN_ID, "x", ""];
	const encfs = [invoice.encf, "E319999999999", "'"];
	const client_request_ids = [invoice.client_request_id, "crid-unknown"];
	const { body, answer } = await ask(await tenantB(), { docIds, encfs, client_request_ids });
	expect(body).toEqual({
		results: [
			...docIds.map((docId) => ({ docId, outcome: "not_found" })),
			...encfs.map((encf) => ({ encf, outcome: "not_found" })),
			...client_request_ids.map((client_request_id) => ({ client_request_id, outcome: "not_found" })),
		],
		...{ found: 0, pending: 0 },
	} as never);
	expect(answer.headers.get("retry-after")).toBeNull();
});

test("a free tenant's hundred are answered whole", async () => {
	const own = await createTenant(service, { plan: "free" });
	const { body } = await ask(own, { docIds: Array(60).fill(UNKNOWN_ID), encfs: Array(40).fill("E310000000001") });
	expect(body.results).toHaveLength(100);
});
