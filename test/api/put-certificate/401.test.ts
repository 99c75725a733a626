import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { putCertificate } from "../support/certificates";
import { makePkcs12 } from "../support/companies";
import { expectUnauthorised } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("401 with only one of the two credentials", async () => {
	const { pkcs12, password } = await makePkcs12("right");
	await expectUnauthorised(putCertificate(service, tenant, { pkcs12, password }, { "x-api-key": tenant.apiKey }));
});
