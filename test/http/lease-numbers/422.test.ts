import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postLease, postSequence } from "../support/sequences";

test("more numbers than are left are refused", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await postSequence(service, tenant, [1, 4]);
	await expectProblem(postLease(service, tenant, { count: 5 }), 422, "sequence-exhausted");
	expect((await postLease(service, tenant, { count: 4 })).status).toBe(201);
});
