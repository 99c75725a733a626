import { beforeAll, expect, test } from "bun:test";
import { postDecision, receive, strangers, WAIT_MS } from "../../exchange/approvals/support/words";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
}, WAIT_MS);

test("another decision is refused, and the answer names the first", async () => {
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
