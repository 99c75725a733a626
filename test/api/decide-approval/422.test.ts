import { beforeAll, expect, test } from "bun:test";
import { decide } from "../../../src/exchange/approvals";
import { findReceivedDocument } from "../../../src/exchange/reception";
import { postDecision, receive, strangers, WAIT_MS } from "../../exchange/approvals/support/words";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, WAIT_MS);

test("a suspended company cannot decide", async () => {
	const documentId = await receive(service, tenant, strangers());
	const setStatus = (status: string) =>
		service.sql`update companies set status = ${status} where tenant_id = ${tenant.tenantId}`;
	await setStatus("suspended");
	await expectProblem(
		postDecision(service, tenant, documentId, { decision: "approved" }),
		422,
		"tenant-config-missing",
	);
	await setStatus("active");
	expect((await postDecision(service, tenant, documentId, { decision: "approved" })).status).toBe(202);
});

test("a document of a type without approvals is refused", async () => {
	const documentId = await receive(service, tenant, strangers());
	const outcome = service.sql.begin(async (tx) => {
		const document = await findReceivedDocument(tx, tenant.tenantId, documentId);
		if (!document) throw new Error("it was received");
		const word = { decision: "approved", reason: null, purchaseOrder: null, at: new Date() } as const;
		await decide(tx, { ...document, type: "45" }, word);
	});
	expect(await outcome.catch((error: { slug: string }) => error.slug)).toBe("approval-not-required");
});
