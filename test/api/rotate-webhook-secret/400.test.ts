import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createWebhook, rotateSecret } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test.each([
	[{ overlapSeconds: -1 }, "/overlapSeconds too-small"],
	[{ overlapSeconds: 604_801 }, "/overlapSeconds too-large"],
	[{ overlapSeconds: "60" }, "/overlapSeconds wrong-type"],
	[{ overlap: 60 }, "/overlap unknown-field"],
])("%p is refused", async (body, fault) => {
	const { id } = await createWebhook(service, tenant);
	await expectProblem(rotateSecret(service, tenant, id, body), 400, "validation-error", [fault]);
});
