import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { putCertificate } from "../support/certificates";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("413 for more than the limit", async () => {
	const large = putCertificate(service, tenant, { pkcs12: "A".repeat(140_000), password: "" });
	await expectProblem(large, 413, "payload-too-large");
});
