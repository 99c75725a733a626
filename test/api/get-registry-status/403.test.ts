import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const PATH = "/v1/authority/registry/status";

test("403 without the scope", async () => {
	const key = await service.createKey({ scopes: ["company:read"] });
	await expectProblem(get(service, PATH, { "x-api-key": key }), 403, "insufficient-scope");
});
