import { beforeAll, test } from "bun:test";
import { createTenant, post, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("403 without the scope", async () => {
	const weak = await createTenant(service, { scopes: ["company:write", "invoices:write"] });
	await expectProblem(post(service, "/v1/sandbox/clock", weak.headers, { advance: "1h" }), 403, "insufficient-scope");
});
