import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("a cursor that is none is refused", async () => {
	const service = await sharedService();
	const answer = get(service, "/v1/check-set-tests?after=x", (await tenantA()).headers);
	await expectProblem(answer, 400, "validation-error", ["#/query/after invalid-cursor"]);
});
