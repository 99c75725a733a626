import { test } from "bun:test";
import { post, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("what is no body that is read", async () => {
	const answer = post(await sharedService(), "/v1/auth/token", { "content-type": "text/plain" }, "x");
	await expectProblem(answer, 415, "unsupported-media-type");
});
