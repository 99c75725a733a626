import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test.each([
	...["limit=0", "limit=101", "after=x", "offset=1", "action=company", "action=*", "action=company.*.x", "actor=a%20b"],
	...["from=0000-01-01T00:00:00Z", "to=9999-12-31T24:00:00Z", "from=2026-02-30T00:00:00Z"],
	...["from=2026-11-20", "to=2026-13-01T00:00:00Z", "to=x", `target=${"x".repeat(65)}`, "action=a.b&action=c.d"],
])("%s is refused", async (query) => {
	const { headers } = await tenantA();
	await expectProblem(get(service, `/v1/audit?${query}`, headers), 400, "validation-error");
});
