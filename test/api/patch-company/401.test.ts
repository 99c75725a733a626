import { beforeAll, test } from "bun:test";
import { createTenant, sharedService, type Tenant, type TestService } from "../../support/service";
import { sendPatch } from "../support/patches";
import { expectUnauthorised } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("one credential alone is not enough, and neither is a foreign key", async () => {
	await expectUnauthorised(sendPatch(service, tenant, {}, { authorization: "" }));
	await expectUnauthorised(sendPatch(service, tenant, {}, { "x-api-key": "" }));
	await expectUnauthorised(sendPatch(service, tenant, {}, { "x-api-key": await service.createKey() }));
});
