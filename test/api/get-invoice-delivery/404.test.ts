import { beforeAll, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { issueTo, ON_PAPER } from "../support/buyer-deliveries";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (docId: string, who = tenant) => get(service, `/v1/invoices/${docId}/delivery`, who.headers);

test("404 for what goes to no buyer, and for another tenant's document", async () => {
	const rejected = await documentOf("rejected");
	const consumer = await documentOf("accepted", { type: "32" });
	for (const { docId } of [rejected, consumer]) await expectProblem(read(docId), 404, "not-found");
	const docId = await issueTo(tenant, ON_PAPER);
	for (const id of [docId, UNKNOWN_ID, "x"]) await expectProblem(read(id, await tenantB()), 404, "not-found");
}, 180_000);
