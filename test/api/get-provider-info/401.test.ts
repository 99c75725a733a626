import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_KEY } from "../support/tenants";

test("both credentials are needed, must be good, and belong together", async () => {
	const service = await sharedService();
	const { headers, apiKey, token } = await tenantA();
	const wrong: Record<string, string>[] = [
		{},
		{ "x-api-key": apiKey },
		{ authorization: `Bearer ${token}` },
		{ ...headers, "x-api-key": UNKNOWN_KEY },
		{ ...headers, authorization: "Bearer x.y.z" },
		{ ...headers, authorization: `Bearer ${(await tenantB()).token}` },
	];
	for (const credentials of wrong) await expectUnauthorised(get(service, "/v1/provider-info", credentials));
});
