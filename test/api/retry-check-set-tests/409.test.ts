import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { act, stallSet } from "../support/test-sets";

test("only a set that failed has another run, and no more than its last", async () => {
	const tenant = await createTenant(await sharedService());
	for (const status of ["passed", "expired", "cancelled"]) {
		const { _links } = await stallSet(tenant, status);
		await expectProblem(act(tenant, _links.self, "retry"), 409, "test-set-final");
	}
	const { _links } = await stallSet(tenant, "failed", { run: 5 });
	const problem = await expectProblem(act(tenant, _links.self, "retry"), 409, "test-set-final");
	expect(problem.detail).toContain("5 runs");
});
