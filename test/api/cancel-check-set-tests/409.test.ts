import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { act, stallSet } from "../support/test-sets";

test("a set that has ended in another way cannot be cancelled", async () => {
	const tenant = await createTenant(await sharedService());
	for (const status of ["passed", "failed", "expired"]) {
		const { _links } = await stallSet(tenant, status);
		const problem = await expectProblem(act(tenant, _links.self, "cancel"), 409, "test-set-final");
		expect(problem.detail).toContain(status);
	}
});
