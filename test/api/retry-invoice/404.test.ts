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

const retry = (docId: string, who = tenant) =>
	fetch(`${service.url}/v1/invoices/${docId}/retry`, { method: "POST", headers: who.headers });

test("404 for another tenant's document and for none, which stay untouched", async () => {
	const { docId } = await documentOf("failed");
	for (const id of [docId, UNKNOWN_ID, "x"]) await expectProblem(retry(id, await tenantB()), 404, "not-found");
	const status = await get(service, `/v1/invoices/${docId}/status`, tenant.headers);
	expect(await status.json()).toMatchObject({ status: "failed" });
});
