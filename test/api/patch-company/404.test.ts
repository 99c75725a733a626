/** Who may not change a company. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { readCompany, sendPatch } from "../support/patches";
import { expectProblem } from "../support/problem";
import { tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("foreign, unknown and invalid company ids get the same answer", async () => {
	const stranger = await tenantB();
	const read = async (id: string) => {
		const problem = await expectProblem(sendPatch(service, stranger, { name: "MIA" }, {}, id), 404, "not-found");
		return { ...problem, requestId: "", instance: problem.instance.replace(id, "") };
	};
	const foreign = await read(tenant.tenantId);
	expect(foreign).toEqual(await read(UNKNOWN_ID));
	expect(foreign).toEqual(await read("x"));
	expect(await readCompany(service, tenant)).toMatchObject({ name: tenant.name, version: 1 });
});

test("another company of the same owner does not change it", async () => {
	const sister = await createTenant(service, { apiKey: tenant.apiKey });
	await expectProblem(sendPatch(service, sister, { tradeName: "Hermana" }, {}, tenant.tenantId), 404, "not-found");
	expect(await readCompany(service, tenant)).toMatchObject({ version: 1 });
});
