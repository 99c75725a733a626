import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postLease, postSequence } from "../support/sequences";

test("more numbers than are left, and a type without sequence, are refused", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await postSequence(service, tenant, [1, 4]);
	await expectProblem(postLease(service, tenant, { count: 5 }), 422, "sequence-exhausted");
	await expectProblem(postLease(service, tenant, { type: "32" }), 422, "sequence-exhausted");
	expect((await postLease(service, tenant, { count: 4 })).status).toBe(201);
});

test("a lease of nothing, of too much or for too long is refused", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	for (const over of [{ count: 0 }, { count: 10_001 }, { ttl: 59 }, { ttl: 2_592_001 }, { ttl: 1.5 }]) {
		const problem = await expectProblem(postLease(service, tenant, over), 400, "validation-error");
		expect(problem.errors?.map(({ pointer }) => pointer)).toEqual([`/${Object.keys(over)[0]}`]);
	}
});
