import { expect, test } from "bun:test";
import { createTenant, post, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("both credentials are needed", async () => {
	const service = await sharedService();
	const { headers } = await createTenant(service);
	for (const name of ["authorization", "x-api-key"]) {
		const one = Object.fromEntries(Object.entries(headers).filter(([key]) => key.toLowerCase() === name));
		expect(Object.keys(one)).toHaveLength(1);
		await expectProblem(post(service, "/v1/tools/convert-legacy", one, {}), 401, "unauthorised");
	}
});
