/** Invoices that are not there for this caller, under either address. */
import { beforeAll, test } from "bun:test";
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

const absent = (who: Tenant, path: string) => expectProblem(get(service, path, who.headers), 404, "not-found");

test("an unknown id and one that is no id", async () => {
	for (const id of [UNKNOWN_ID, "x"]) {
		await absent(tenant, `/v1/invoices/${id}`);
		await absent(tenant, `/v1/invoices/${id}/idCompany/${tenant.tenantId}`);
	}
});

test("another tenant's, also with the id of its company", async () => {
	const { docId } = await documentOf("accepted");
	const other = await tenantB();
	await absent(other, `/v1/invoices/${docId}`);
	await absent(other, `/v1/invoices/${docId}/idCompany/${tenant.tenantId}`);
	await absent(other, `/v1/invoices/${docId}/idCompany/${other.tenantId}`);
});

test("one's own under another company, an unknown one, or none", async () => {
	const { docId } = await documentOf("accepted");
	const other = await tenantB();
	for (const company of [other.tenantId, UNKNOWN_ID, "x"]) {
		await absent(tenant, `/v1/invoices/${docId}/idCompany/${company}`);
	}
});
