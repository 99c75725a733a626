import { test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("invalid queries are reported all at once", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const query = "?direction=up&decision=1&from=x&after=y&docId=z&limit=0&status=open";
	await expectProblem(get(service, `/v1/approvals${query}`, tenant.headers), 400, "validation-error", [
		...["#/query/status unknown-parameter", "#/query/after invalid-cursor", "#/query/from invalid-date"],
		"#/query/direction invalid-format",
		"#/query/docId invalid-id",
		"#/query/decision invalid-format",
		"#/query/limit invalid-format",
	]);
});
