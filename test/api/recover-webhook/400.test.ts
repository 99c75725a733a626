import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { recover } from "../support/deliveries";
import { expectProblem } from "../support/problem";
import { createWebhook } from "../support/webhooks";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test.each([
	[{}, "/since required"],
	[{ since: "yesterday" }, "/since invalid-time"],
	[{ since: "2026-02-30T25:00:00Z" }, "/since invalid-time"],
	[{ since: "2026-02-30T10:00:00Z" }, "/since invalid-time"],
	[{ since: "0000-01-01T00:00:00Z" }, "/since invalid-time"],
	[{ since: "9999-12-31T24:00:00Z" }, "/since invalid-time"],
	[{ since: "2026-11-20T10:00:00-04:00" }, "/since invalid-time"],
])("%p names no time", async (body, fault) => {
	const { id } = await createWebhook(service, tenant);
	await expectProblem(recover(service, tenant, id, body), 400, "validation-error", [fault]);
});
