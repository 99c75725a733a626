import { beforeAll, expect, test } from "bun:test";
import { postDecision, receive, strangers, WAIT_MS } from "../../approvals/support/words";
import { createTenant, get, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
let documentId: string;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
	documentId = await receive(service, tenant, strangers());
}, WAIT_MS);

test.each<[unknown, string]>([
	[{}, "/decision required"],
	[{ decision: "maybe" }, "/decision not-in-list"],
	[{ decision: "rejected" }, "/reason required"],
	[{ decision: "rejected", reason: " \n" }, "/reason required"],
	[{ decision: "rejected", reason: "x".repeat(251) }, "/reason too-long"],
	[{ decision: "approved", reason: "bien" }, "/reason unexpected"],
	[{ decision: "approved", note: "x" }, "/note unknown-field"],
])("%j is refused, and nothing is decided", async (body, fault) => {
	await expectProblem(postDecision(service, tenant, documentId, body), 400, "validation-error", [fault]);
	const list = await get(service, `/v1/approvals?docId=${documentId}`, tenant.headers);
	expect(await list.json()).toMatchObject({ count: 0 });
});

test("another decision is refused with the one that stands", async () => {
	const decided = await receive(service, tenant, strangers());
	const { approvalId } = (await (await postDecision(service, tenant, decided, { decision: "approved" })).json()) as {
		approvalId: string;
	};
	const other = postDecision(service, tenant, decided, { decision: "rejected", reason: "No" });
	expect(await expectProblem(other, 409, "approval-already-decided")).toMatchObject({
		approvalId,
		decision: "approved",
	});
});

test("another tenant's document is as absent as one that never existed, and so is its approval", async () => {
	const stranger = await createTenant(service);
	for (const id of [documentId, UNKNOWN_ID, "x"]) {
		await expectProblem(postDecision(service, stranger, id, { decision: "approved" }), 404, "not-found");
	}
	const decided = await receive(service, tenant, strangers());
	const { approvalId } = (await (await postDecision(service, tenant, decided, { decision: "approved" })).json()) as {
		approvalId: string;
	};
	for (const id of [approvalId, UNKNOWN_ID, "x"]) {
		await expectProblem(get(service, `/v1/approvals/${id}`, stranger.headers), 404, "not-found");
		await expectProblem(get(service, `/v1/approvals/${id}/xml`, stranger.headers), 404, "not-found");
		await expectProblem(post(service, `/v1/approvals/${id}/retry`, stranger.headers, {}), 404, "not-found");
	}
});

test("whoever may only read decides nothing", async () => {
	const reader = await createTenant(service, { scopes: ["invoices:read", "company:write", "webhooks:write"] });
	const own = await receive(service, reader, strangers());
	await expectProblem(postDecision(service, reader, own, { decision: "approved" }), 403, "insufficient-scope");
});
