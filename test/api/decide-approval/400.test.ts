import { beforeAll, expect, test } from "bun:test";
import { postDecision, receive, strangers, WAIT_MS } from "../../exchange/approvals/support/words";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

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
