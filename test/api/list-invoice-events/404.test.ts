/** Another tenant's document, none, and what is no id at all. */
import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("all alike", async () => {
	const { docId } = await documentOf("accepted");
	await expectProblem(get(service, `/v1/invoices/${docId}/events`, (await tenantB()).headers), 404, "not-found");
	for (const id of [UNKNOWN_ID, "x", "%00"]) {
		const answer = get(service, `/v1/invoices/${id}/events`, (await tenantA()).headers);
		await expectProblem(answer, 404, "not-found");
	}
});
