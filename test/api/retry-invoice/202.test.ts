/** Trying a failed document again; any other stays what it is. */
import { beforeAll, expect, test } from "bun:test";
import { rewrite } from "../../support/documents";
import {
	buildInvoice,
	get,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { documentOf } from "../support/documents";
import { tenantA, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const retry = (docId: string, headers: Record<string, string> = {}) =>
	fetch(`${service.url}/v1/invoices/${docId}/retry`, { method: "POST", headers: { ...tenant.headers, ...headers } });

test("a failed document is pending again, and fails again while its cause is there", async () => {
	const customer = { rnc: "000000006", name: "FALLA" };
	const posted = await postInvoice(service, tenant, buildInvoice(tenant, { customer }));
	const { docId } = (await posted.json()) as { docId: string };
	expect(await untilDecided(service, tenant, docId, 30_000)).toMatchObject({ status: "failed" });
	const key = { "idempotency-key": crypto.randomUUID() };
	const answer = await retry(docId, key);
	expect(answer.status).toBe(202);
	expect(answer.headers.get("location")).toBe(`/v1/invoices/${docId}/status`);
	const body = (await answer.json()) as Record<string, unknown>;
	expect(body).toMatchObject({ docId, status: "pending" });
	expect(body).not.toHaveProperty("failure");
	const failedAgain = await untilDecided(service, tenant, docId, 30_000);
	expect(failedAgain).toMatchObject({ status: "failed" });
	// A repeat of its key gets the first answer again and brings nothing back.
	const repeat = await retry(docId, key);
	expect([repeat.status, repeat.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(await repeat.json()).toEqual(body);
	const status = await (await get(service, `/v1/invoices/${docId}/status`, tenant.headers)).json();
	expect(status).toMatchObject({ status: "failed", version: failedAgain.version });
}, 120_000);

test("a decided document stays as it is, and is answered 200: nothing has begun", async () => {
	for (const state of ["accepted", "rejected"] as const) {
		const { docId } = await documentOf(state);
		const before = await (await get(service, `/v1/invoices/${docId}/status`, tenant.headers)).json();
		const answer = await retry(docId);
		expect(answer.status).toBe(200);
		expect(await answer.json()).toEqual(before as Record<string, unknown>);
	}
});

test("an idempotency key applies to one document", async () => {
	const key = { "idempotency-key": crypto.randomUUID() };
	for (const state of ["accepted", "rejected"] as const) {
		const { docId } = await documentOf(state);
		const answer = await retry(docId, key);
		expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([200, null]);
		expect(await answer.json()).toMatchObject({ docId, status: state });
	}
});

test("a body is not needed and does no harm", async () => {
	const { docId } = await documentOf("accepted");
	expect((await post(service, `/v1/invoices/${docId}/retry`, tenant.headers, "{")).status).toBe(200);
});

test("a failed document of a test set stays failed", async () => {
	const customer = { rnc: "000000006", name: "FALLA" };
	const posted = await postInvoice(service, tenant, buildInvoice(tenant, { customer }));
	const { docId } = (await posted.json()) as { docId: string };
	await untilDecided(service, tenant, docId, 60_000);
	await rewrite(service.owner, (tx) => tx`update documents set test_set_id = ${UNKNOWN_ID} where doc_id = ${docId}`);
	const answer = await retry(docId);
	expect(answer.status).toBe(200);
	const body = (await answer.json()) as { _links: unknown };
	expect(body).toMatchObject({ status: "failed", testSetId: UNKNOWN_ID, failure: { retryable: false } });
	expect(body._links).toEqual({ self: `/v1/invoices/${docId}` });
}, 120_000);
