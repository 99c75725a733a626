import { test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA, UNKNOWN_ID } from "../support/tenants";
import { act, stallSet } from "../support/test-sets";

test("a set of another company, or an unknown one, is not found", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const other = await tenantA();
	const set = await stallSet(tenant, "passed");
	const paths = [
		[other, set._links.self],
		[other, `/v1/check-set-tests/${set.id}/idCompany/${other.tenantId}`],
		[tenant, `/v1/check-set-tests/${set.id}/idCompany/${other.tenantId}`],
		[tenant, `/v1/check-set-tests/${UNKNOWN_ID}/idCompany/${tenant.tenantId}`],
		[tenant, `/v1/check-set-tests/x/idCompany/${tenant.tenantId}`],
	] as const;
	for (const [caller, path] of paths) {
		await expectProblem(get(service, path, caller.headers), 404, "not-found");
		await expectProblem(get(service, `${path}/evidence`, caller.headers), 404, "not-found");
		await expectProblem(act(caller, path, "cancel"), 404, "not-found");
		await expectProblem(act(caller, path, "retry"), 404, "not-found");
	}
});
