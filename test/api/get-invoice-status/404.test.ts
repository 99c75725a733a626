/** Documents that are not there for this caller. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

test.each([
	...[UNKNOWN_ID, "1", "x".repeat(200), "\u0000", "\u{1f600}", "null", "' or 1=1 --", "a/b", "__proto__"],
	...["00000000-0000-0000-0000-00000000000g", `${UNKNOWN_ID}\n`, ` ${UNKNOWN_ID}`],
])("the id %j", async (id) => {
	await expectProblem(get(service, `/v1/invoices/${encodeURIComponent(id)}/status`, tenant.headers), 404, "not-found");
});

test("another tenant's document, which its own tenant sees", async () => {
	const { docId } = await documentOf("accepted");
	const other = await tenantB();
	await expectProblem(get(service, `/v1/invoices/${docId}/status`, other.headers), 404, "not-found");
	expect((await get(service, `/v1/invoices/${docId}/status`, tenant.headers)).status).toBe(200);
});

test("an id in capitals is the same id", async () => {
	const { docId } = await documentOf("accepted");
	const answer = await get(service, `/v1/invoices/${docId.toUpperCase()}/status`, tenant.headers);
	expect([200, 404]).toContain(answer.status);
	if (answer.status === 404) await expectProblem(answer, 404, "not-found");
});
