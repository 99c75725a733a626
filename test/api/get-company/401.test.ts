import { beforeAll, test } from "bun:test";
import { get, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

const read = (id: string, headers: Readonly<Record<string, string>> = tenant.headers) =>
	get(service, `/v1/company/${id}`, headers);

test("401 with only one of the two credentials", async () => {
	await expectUnauthorised(read(tenant.tenantId, { "x-api-key": tenant.apiKey }));
	await expectUnauthorised(read(tenant.tenantId, { authorization: `Bearer ${tenant.token}` }));
	await expectUnauthorised(read(tenant.tenantId, {}));
});
