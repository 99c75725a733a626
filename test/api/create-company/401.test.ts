/** Who may not register companies. */
import { beforeAll, test } from "bun:test";
import { post, sharedService, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA, UNKNOWN_KEY } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("no credentials, an unknown key, a token without a key", async () => {
	const { token } = await tenantA();
	for (const headers of [{}, { "x-api-key": UNKNOWN_KEY }, { authorization: `Bearer ${token}` }] as Record<
		string,
		string
	>[]) {
		await expectUnauthorised(post(service, "/v1/company", headers, { rnc: "990000001" }));
	}
});
