import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { act, stallSet } from "../support/test-sets";

test("no run begins while one is under way, be it the set's own or another set's", async () => {
	const tenant = await createTenant(await sharedService());
	const failed = await stallSet(tenant, "failed");
	const active = await stallSet(tenant, "submitting");
	for (const { _links } of [failed, active]) {
		const problem = await expectProblem(act(tenant, _links.self, "retry"), 422, "test-set-in-progress");
		expect(problem.id).toBe(active.id);
	}
});
