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

test("the refusal distinguishes too few numbers from none", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await postSequence(service, tenant, [1, 4]);
	const read = async (count: number) => {
		const { detail, errors } = await expectProblem(postLease(service, tenant, { count }), 422, "sequence-exhausted");
		return [detail, errors];
	};
	const fewer = "Fewer than 5 numbers of type 31 are left in the registered sequences that have not expired.";
	expect(await read(5)).toEqual([fewer, [{ pointer: "/count", code: "sequence-exhausted", detail: fewer }]]);
	expect((await postLease(service, tenant, { count: 4 })).status).toBe(201);
	const none = "No number of type 31 is left in the registered sequences that have not expired.";
	expect(await read(1)).toEqual([none, [{ pointer: "/count", code: "sequence-exhausted", detail: none }]]);
});
