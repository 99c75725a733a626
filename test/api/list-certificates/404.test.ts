import { test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

test("404 for a foreign company and an unknown id", async () => {
	const service = await sharedService();
	const [tenant, stranger] = [await createTenant(service), await tenantB()];
	for (const id of [tenant.tenantId, UNKNOWN_ID]) {
		await expectProblem(get(service, `/v1/company/${id}/certificates`, stranger.headers), 404, "not-found");
	}
});
