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
	"after=1-",
	"after=1-3344556",
	"after=1-3344556G",
	"after=01-33445566",
	"after=newest",
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

test("a position beyond the last event is refused", async () => {
	const ahead = get(service, "/v1/events?after=1&wait=25", tenant.headers);
	await expectProblem(ahead, 400, "validation-error", ["#/query/after out-of-range"]);
	const headers = { ...tenant.headers, accept: "text/event-stream", "last-event-id": "7" };
	const stream = get(service, "/v1/events", headers);
	await expectProblem(stream, 400, "validation-error", ["#/headers/last-event-id out-of-range"]);
});
