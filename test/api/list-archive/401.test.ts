import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

test("one credential alone is not enough", async () => {
	const service = await sharedService();
	const { headers, apiKey } = await tenantA();
	const { authorization = "" } = headers;
	await expectUnauthorised(get(service, "/v1/archive", { authorization }));
	await expectUnauthorised(get(service, "/v1/archive/exports", { "x-api-key": apiKey }));
});
