import { test } from "bun:test";
import { get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("a key without the scope is refused", async () => {
	const service = await sharedService();
	const key = await service.createKey({ scopes: ["registry:read"] });
	await expectProblem(get(service, "/v1/usage", { "x-api-key": key }), 403, "insufficient-scope");
});
