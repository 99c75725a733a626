/** Who gets no evidence: strangers, without a word; and the owner of a document that is not archived yet, who hears when to ask again. */
import { expect, test } from "bun:test";
import { buildInvoice, get, postInvoice, sharedService } from "../../support/service";
import { documentOf } from "../support/documents";
import { untilArchived } from "../support/evidence";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

test.each(["evidence", "proof"])("another tenant's %s is not found, whatever ETag is sent", async (kind) => {
	const service = await sharedService();
	const { docId } = await documentOf("accepted");
	const etag = (await untilArchived(`/v1/invoices/${docId}/evidence`)).headers.get("etag") ?? "";
	const { headers } = await tenantB();
	for (const id of [docId, UNKNOWN_ID, "x"]) {
		const answer = await get(service, `/v1/invoices/${id}/${kind}`, { ...headers, "if-none-match": etag });
		expect(answer.headers.get("retry-after")).toBeNull();
		const problem = await expectProblem(Promise.resolve(answer), 404, "not-found");
		expect(problem.detail).toBe("There is no resource at this address that you can access.");
	}
});

test.each(["evidence", "proof"])(
	"a document without a verdict has no %s yet, and its owner hears when to ask",
	async (kind) => {
		const [service, tenant] = await Promise.all([sharedService(), tenantA()]);
		const body = buildInvoice(tenant, { customer: { rnc: "000000004", name: "CLIENTE SRL" } });
		const { docId } = (await (await postInvoice(service, tenant, body)).json()) as { docId: string };
		const answer = await get(service, `/v1/invoices/${docId}/${kind}`, tenant.headers);
		expect(answer.headers.get("retry-after")).toBe("30");
		const problem = await expectProblem(Promise.resolve(answer), 404, "not-found");
		expect(problem.detail).toContain("no final status");
	},
);
