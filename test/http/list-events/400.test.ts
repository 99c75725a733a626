import { beforeAll, test } from "bun:test";
import { createTenant, get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test.each([
	"after=-1",
	"after=0x10",
	"limit=0",
	"limit=1001",
	"wait=26",
	"wait=1.5",
	"types=invoice",
	"types=a.b,",
	"since=1",
])("%s is refused", async (query) => {
	await expectProblem(get(service, `/v1/events?${query}`, tenant.headers), 400, "validation-error");
});
