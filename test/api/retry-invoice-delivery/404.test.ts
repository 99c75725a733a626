import { beforeAll, test } from "bun:test";
import { sharedService, type Tenant, type TestService } from "../../support/service";
import { issueTo, SIMULATED } from "../support/buyer-deliveries";
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
	fetch(`${service.url}/v1/invoices/${docId}/delivery/retry`, { method: "POST", headers: who.headers });

test("404 for what goes to no buyer, for another tenant's document and for none", async () => {
	const { docId } = await documentOf("rejected");
	await expectProblem(retry(docId), 404, "not-found");
	const own = await issueTo(tenant, SIMULATED);
	for (const id of [own, UNKNOWN_ID, "x"]) await expectProblem(retry(id, await tenantB()), 404, "not-found");
}, 180_000);
