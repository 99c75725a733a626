import { test } from "bun:test";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";
import { postSet } from "../support/test-sets";

test("foreign and unknown ids are not found", async () => {
	const { tenantId } = await tenantB();
	for (const idCompany of [tenantId, UNKNOWN_ID, "x"]) {
		await expectProblem(postSet(await tenantA(), { idCompany }), 404, "not-found");
	}
});
