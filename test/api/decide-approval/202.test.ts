import { beforeAll, expect, test } from "bun:test";
import { postDecision, receive, strangers, WAIT_MS } from "../../exchange/approvals/support/words";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, WAIT_MS);

const reason = "Cantidad no corresponde a la orden 5521";

test("a decision is recorded, shown with its document, and audited", async () => {
	const document = strangers();
	const documentId = await receive(service, tenant, document);
	const answer = await postDecision(service, tenant, documentId, { decision: "rejected", reason });
	expect(answer.status).toBe(202);
	const made = (await answer.json()) as Record<string, unknown>;
	expect(Object.keys(made).slice(0, 9)).toEqual([
		...[
			"approvalId",
			"receivedDocumentId",
			"encf",
			"decision",
			"reason",
			"status",
			"delivery",
			"decidedAt",
			"direction",
		],
	]);
	const { approvalId } = made;
	expect(made).toMatchObject({
		...{ receivedDocumentId: documentId, encf: document.encf, decision: "rejected", reason, status: "sending" },
		...{ delivery: { issuer: "pending", authority: "pending" }, direction: "out" },
	});
	expect(answer.headers.get("location")).toBe(`/v1/approvals/${approvalId}`);
	const shown = await get(service, `/v1/received-documents/${documentId}`, tenant.headers);
	expect(await shown.json()).toMatchObject({ approval: { approvalId, decision: "rejected" } });
	const audit = await get(service, `/v1/audit?target=${documentId}`, tenant.headers);
	expect(await audit.json()).toMatchObject({ items: [{ action: "document.decide", details: { approvalId } }] });
});

test("the same decision again is answered with the record", async () => {
	const documentId = await receive(service, tenant, strangers());
	const key = { "idempotency-key": crypto.randomUUID() };
	const first = await postDecision(service, tenant, documentId, { decision: "approved" }, key);
	const replay = await postDecision(service, tenant, documentId, { decision: "approved" }, key);
	const again = await postDecision(service, tenant, documentId, { decision: "approved" });
	expect([first.status, replay.status, again.status]).toEqual([202, 200, 200]);
	const text = await first.text();
	expect(await replay.text()).toBe(text);
	expect(await again.json()).toMatchObject({ approvalId: JSON.parse(text).approvalId, decision: "approved" });
});
