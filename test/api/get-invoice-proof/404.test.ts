import { expect, test } from "bun:test";
import { rewrite } from "../../support/documents";
import { get, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

test("another company's document is no document", async () => {
	const service = await sharedService();
	const { docId } = await documentOf("accepted");
	await (await untilArchived(`/v1/invoices/${docId}/proof`)).body?.cancel();
	const { headers } = await tenantB();
	for (const id of [docId, UNKNOWN_ID]) {
		const answer = await get(service, `/v1/invoices/${id}/proof`, headers);
		expect(answer.headers.get("retry-after")).toBeNull();
		await expectProblem(Promise.resolve(answer), 404, "not-found");
	}
});

test("a decided document without archived object gets 404 with Retry-After", async () => {
	const [service, { headers }] = await Promise.all([sharedService(), tenantA()]);
	const { docId } = await documentOf("accepted", { client_request_id: "proof-decided-again" });
	const path = `/v1/invoices/${docId}/proof`;
	await (await untilArchived(path)).body?.cancel();
	// As if it had been brought back and decided again a moment ago.
	await rewrite(
		service.owner,
		(tx) => tx`update verdicts set decided_at = decided_at + interval '1 hour' where doc_id = ${docId}`,
	);
	const answer = await get(service, path, headers);
	expect(answer.headers.get("retry-after")).toBe("2");
	expect((await expectProblem(Promise.resolve(answer), 404, "not-found")).detail).toContain("not archived yet");
});
