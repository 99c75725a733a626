import { beforeAll, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service, { webhook: true });
});

type Sent = { headers: Record<string, string>; body: string };
type EmailFacts = {
	deliveries: { deliveryId: string; request: Sent; [more: string]: unknown }[];
	delivered: number;
	failed: number;
};
const bearer = (who = tenant) => ({ authorization: `Bearer ${who.token}` });

test("404 for a foreign or unknown webhook", async () => {
	const other = await createTenant(service, { webhook: true });
	const [theirs] = ((await (await post(service, "/v1/webhooks/test", bearer(other), {})).json()) as EmailFacts)
		.deliveries;
	for (const webhookId of [theirs?.webhookId, UNKNOWN_ID, "x"]) {
		await expectProblem(post(service, "/v1/webhooks/test", bearer(), { webhookId }), 404, "not-found");
	}
});
