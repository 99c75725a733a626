import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { putCertificate } from "../support/certificates";
import { makePkcs12 } from "../support/companies";
import { expectProblem } from "../support/problem";
import { tenantB } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("404 for a foreign company", async () => {
	const { pkcs12, password } = await makePkcs12("right");
	const stranger = await tenantB();
	await expectProblem(putCertificate(service, tenant, { pkcs12, password }, stranger.headers), 404, "not-found");
});
