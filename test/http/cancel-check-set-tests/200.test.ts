import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { act, beginSet, stallSet } from "../support/test-sets";

test("an active set is cancelled, tells so once, and makes room for the next one", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id, _links } = await stallSet(tenant, "submitting");
	for (let n = 0; n < 2; n++) {
		const answer = await act(tenant, _links.self, "cancel");
		expect(answer.status).toBe(200);
		expect(await answer.json()).toMatchObject({ status: "cancelled", failure: null });
	}
	const events = await service.sql`select 1 from events where doc_id = ${id} and event = 'certification.completed'`;
	expect(events).toHaveLength(1);
	await beginSet(tenant, { types: ["44"] });
});

test("a set that has ended in another way cannot be cancelled", async () => {
	const tenant = await createTenant(await sharedService());
	for (const status of ["passed", "failed", "expired"]) {
		const { _links } = await stallSet(tenant, status);
		const problem = await expectProblem(act(tenant, _links.self, "cancel"), 409, "test-set-final");
		expect(problem.detail).toContain(status);
	}
});
