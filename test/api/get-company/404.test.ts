import { beforeAll, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_ID } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (id: string, headers: Readonly<Record<string, string>> = tenant.headers) =>
	get(service, `/v1/company/${id}`, headers);

test("404 for a foreign company, an unknown id and an invalid one", async () => {
	const other = await tenantB();
	for (const id of [other.tenantId, UNKNOWN_ID, "x", "%00"]) await expectProblem(read(id), 404, "not-found");
});
