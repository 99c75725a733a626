import { beforeAll, test } from "bun:test";
import { post, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("without a token the request is refused", async () => {
	await expectProblem(post(service, "/v1/auth/revoke", {}, {}), 400, "validation-error", ["/token required"]);
});
