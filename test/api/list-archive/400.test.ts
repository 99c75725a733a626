import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test.each([
	...["limit=0", "after=x", "after=LTEgeA", "from=2026-02-30", "to=x", "type=311", "status=pending", "customer=1"],
	`after=${Buffer.from("99999999999999 a").toString("base64url")}`,
])("%s is refused", async (query) => {
	const { headers } = await tenantA();
	await expectProblem(get(await sharedService(), `/v1/archive?${query}`, { ...headers }), 400, "validation-error");
});
