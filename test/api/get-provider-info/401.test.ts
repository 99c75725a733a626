import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { KEY_OF_NOBODY, tenantA, tenantB } from "../support/tenants";

test("both credentials are needed, must be good, and belong together", async () => {
	const service = await sharedService();
	const { headers, apiKey, token } = await tenantA();
	const wrong: Record<string, string>[] = [
		{},
		{ "x-api-key": apiKey },
		{ authorization: `Bearer ${token}` },
		{ ...headers, "x-api-key": KEY_OF_NOBODY },
		{ ...headers, authorization: "Bearer x.y.z" },
		{ ...headers, authorization: `Bearer ${(await tenantB()).token}` },
	];
	for (const credentials of wrong) await expectUnauthorised(get(service, "/v1/provider-info", credentials));
});
