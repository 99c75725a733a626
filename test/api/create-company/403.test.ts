import { beforeAll, expect, test } from "bun:test";
import { post, sharedService, type TestService } from "../../support/service";
import { takeActiveCompany } from "../support/companies";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("an API key without the scope", async () => {
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
