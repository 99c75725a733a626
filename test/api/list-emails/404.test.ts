/** Another tenant's mails are not found. */
import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

test("a foreign document answers like one that never existed", async () => {
	const [service, other, { docId }] = [await sharedService(), await tenantB(), await documentOf("accepted")];
	for (const id of [docId, UNKNOWN_ID, "x"])
		await expectProblem(get(service, `/v1/invoices/${id}/emails`, other.headers), 404, "not-found");
});
