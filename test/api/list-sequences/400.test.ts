import { expect, test } from "bun:test";
import { newId } from "../../../src/platform/values";
import { createTenant, get, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";

test("a cursor of an unknown sequence is refused", async () => {
	const service = await sharedService();
	const { headers } = await createTenant(service);
	const asked = get(service, `/v1/sequences?after=${newId()}`, headers);
	const { errors = [] } = await expectProblem(asked, 400, "validation-error");
	expect(errors).toMatchObject([{ pointer: "#/query/after", code: "invalid-cursor" }]);
});
