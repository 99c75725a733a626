import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const lookUp = (document: string, headers = key) => get(service, `/v1/authority/document/${document}`, headers);

test("403 without the scope", async () => {
	const other = { "x-api-key": await service.createKey({ scopes: ["company:write"] }) };
	const problem = await expectProblem(lookUp("131880681", other), 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["registry:read"]);
});
