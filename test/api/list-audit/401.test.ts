import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("one credential alone is not enough", async () => {
	const { headers, apiKey } = await tenantA();
	const { authorization = "" } = headers;
	await expectUnauthorised(get(service, "/v1/audit", { authorization }));
	await expectUnauthorised(get(service, "/v1/audit", { "x-api-key": apiKey }));
});
