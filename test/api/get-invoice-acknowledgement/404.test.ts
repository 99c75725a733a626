import { beforeAll, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { issueTo, SIMULATED, untilDelivery } from "../support/buyer-deliveries";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
let docId: string;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
	docId = await issueTo(tenant, SIMULATED);
	await untilDelivery(tenant, docId, "delivered");
}, 180_000);

const read = (id: string, who = tenant) => get(service, `/v1/invoices/${id}/delivery/arecf`, who.headers);

test("404 where there is none, and for another tenant's", async () => {
	const paper = await documentOf("accepted");
	for (const id of [paper.docId, UNKNOWN_ID, "x"]) await expectProblem(read(id), 404, "not-found");
	await expectProblem(read(docId, await tenantB()), 404, "not-found");
});
