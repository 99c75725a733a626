import { beforeAll, test } from "bun:test";
import { postDecision, receive, strangers, WAIT_MS } from "../../exchange/approvals/support/words";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, WAIT_MS);

test("a caller without the scope cannot decide", async () => {
	const reader = await createTenant(service, { scopes: ["invoices:read", "company:write", "webhooks:write"] });
	const own = await receive(service, reader, strangers());
	await expectProblem(postDecision(service, reader, own, { decision: "approved" }), 403, "insufficient-scope");
});
