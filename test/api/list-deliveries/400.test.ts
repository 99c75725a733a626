import { beforeAll, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("what no delivery can have is refused, all of it at once", async () => {
	const query = "?after=x&webhookId=y&docId=z&status=lost&limit=101";
	await expectProblem(get(service, `/v1/webhooks/deliveries${query}`, tenant.headers), 400, "validation-error", [
		"#/query/after invalid-cursor",
		"#/query/docId invalid-id",
		"#/query/limit invalid-format",
		"#/query/status not-in-list",
		"#/query/webhookId invalid-id",
	]);
});
