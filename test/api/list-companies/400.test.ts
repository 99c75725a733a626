import { test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("invalid queries are refused", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	for (const query of ["limit=0", "limit=101", "limit=1e1", "after=x", "offset=1", "limit=1&limit=2"]) {
		await expectProblem(get(service, `/v1/company?${query}`, tenant.headers), 400, "validation-error");
	}
});
