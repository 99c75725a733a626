/** Another tenant's document cannot be printed. */
import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

test("a foreign document answers like one that never existed, whatever tag is guessed", async () => {
	const [service, owner, other] = [await sharedService(), await tenantA(), await tenantB()];
	const { docId } = await documentOf("accepted");
	const etag = (await get(service, `/v1/invoices/${docId}/pdf`, owner.headers)).headers.get("etag") ?? "";
	for (const id of [docId, UNKNOWN_ID, "x"]) {
		const read = (headers = {}) => get(service, `/v1/invoices/${id}/pdf`, { ...other.headers, ...headers });
		await expectProblem(read(), 404, "not-found");
		await expectProblem(read({ "if-none-match": etag }), 404, "not-found");
	}
});
