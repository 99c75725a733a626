import { expect, test } from "bun:test";
import { post, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { UNKNOWN_KEY } from "../support/tenants";

test("an invalid key is also reported in the form of RFC 6749", async () => {
	const answer = post(await sharedService(), "/v1/auth/revoke", { "x-api-key": UNKNOWN_KEY }, { token: "x" });
	expect(await expectProblem(answer, 401, "unauthorised")).toMatchObject({
		...{ error: "invalid_client", error_description: "The API key is not valid." },
	});
});
