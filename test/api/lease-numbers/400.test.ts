import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postLease } from "../support/sequences";

test("a lease of nothing, of too much or for too long is refused", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	for (const over of [{ count: 0 }, { count: 10_001 }, { ttl: 59 }, { ttl: 2_592_001 }, { ttl: 1.5 }]) {
		const problem = await expectProblem(postLease(service, tenant, over), 400, "validation-error");
		expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/${Object.keys(over)[0]}`]);
	}
});
