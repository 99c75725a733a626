import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postSequence } from "../support/sequences";

test("an overlapping range is refused and named; adjacent ones are accepted", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const first = (await (await postSequence(service, tenant, [100, 200])).json()) as { id: string };
	for (const range of [
		[100, 200],
		[50, 100],
		[200, 300],
		[120, 130],
		[1, 1_000],
	] as const) {
		const problem = await expectProblem(postSequence(service, tenant, range), 409, "sequence-conflict", [
			"/from overlaps-sequence",
		]);
		expect(problem.sequenceId).toBe(first.id);
	}
	for (const range of [
		[50, 99],
		[201, 300],
	] as const)
		expect((await postSequence(service, tenant, range)).status).toBe(201);
	expect((await postSequence(service, tenant, [100, 200], { type: "41" })).status).toBe(201);
	expect((await postSequence(service, await createTenant(service), [100, 200])).status).toBe(201);
});

test("of equal registrations at once one is made", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const answers = await Promise.all(Array.from({ length: 8 }, () => postSequence(service, tenant, [1, 9])));
	expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409, 409, 409]);
});
