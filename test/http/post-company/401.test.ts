/** Who may not register companies. */
import { beforeAll, expect, test } from "bun:test";
import { post, sharedService, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem, expectUnauthorised } from "../support/problem";
import { KEY_OF_NOBODY, tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("nobody, an unknown key, a token without a key", async () => {
	const { token } = await tenantA();
	for (const headers of [{}, { "x-api-key": KEY_OF_NOBODY }, { authorization: `Bearer ${token}` }] as Record<
		string,
		string
	>[]) {
		await expectUnauthorised(post(service, "/v1/company", headers, { rnc: "990000001" }));
	}
});

test("a key without the scope", async () => {
	const apiKey = await service.createKey({ scopes: ["registry:read"] });
	const { rnc } = await takeActiveCompany();
	const problem = await expectProblem(
		post(service, "/v1/company", { "x-api-key": apiKey }, { rnc }),
		403,
		"insufficient-scope",
	);
	expect(problem.requiredScopes).toEqual(["company:write"]);
	expect(await service.sql`select 1 from companies where rnc = ${rnc}`).toHaveLength(0);
});
