import { beforeAll, test } from "bun:test";
import { postDecision, receive, strangers, WAIT_MS } from "../../exchange/approvals/support/words";
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

test("another tenant's document and approval are not found", async () => {
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
