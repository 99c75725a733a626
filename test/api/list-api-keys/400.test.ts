import { beforeAll, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("queries that are refused", async () => {
	for (const query of ["limit=0", "limit=101", "after=x", "owner=x", "limit=1&limit=2"]) {
		await expectProblem(get(service, `/v1/api-keys?${query}`, tenant.headers), 400, "validation-error");
	}
});
