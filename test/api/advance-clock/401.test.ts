import { beforeAll, test } from "bun:test";
import { post, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("401 without credentials", async () => {
	await expectProblem(post(service, "/v1/sandbox/clock", {}, { advance: "1h" }), 401, "unauthorised");
});
