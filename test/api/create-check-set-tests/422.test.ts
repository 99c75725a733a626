import { expect, test } from "bun:test";
import { createTenant, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { postSet, stallSet } from "../support/test-sets";

test("a second set is refused with the id of the active one", async () => {
	const tenant = await createTenant(await sharedService());
	const set = await stallSet(tenant, "validating");
	const problem = await expectProblem(postSet(tenant, { mode: "authority" }), 422, "test-set-in-progress");
	expect(problem.id).toBe(set.id);
});

test("of many that ask at once one begins", async () => {
	const tenant = await createTenant(await sharedService());
	const answers = await Promise.all(Array.from({ length: 5 }, () => postSet(tenant, { mode: "authority" })));
	expect(answers.map(({ status }) => status).sort()).toEqual([202, 422, 422, 422, 422]);
});

test("a company without a certificate learns what is missing", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await service.sql`delete from signing_certificates where tenant_id = ${tenant.tenantId}`;
	const problem = await expectProblem(postSet(tenant), 422, "tenant-config-missing");
	expect(problem.missing).toEqual(["certificate"]);
});
