/** What is no type-31 document of this caller. */
import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("a document of another type", async () => {
	const { docId } = await documentOf("accepted", { type: "32" });
	await expectProblem(get(service, `/v1/fiscal-invoices/${docId}`, (await tenantA()).headers), 404, "not-found");
});

test("another tenant's, an unknown one, and none", async () => {
	const { docId } = await documentOf("accepted");
	for (const id of [docId, UNKNOWN_ID, "x"]) {
		await expectProblem(get(service, `/v1/fiscal-invoices/${id}`, (await tenantB()).headers), 404, "not-found");
	}
});
