/** What is no way to move a clock. */
import { beforeAll, expect, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const send = (body: unknown) => post(service, "/v1/sandbox/clock", tenant.headers, body);

test.each([
	...["{}", '{"advance":25}', '{"advance":"25"}', '{"advance":"-1h"}', '{"advance":"0h"}', '{"advance":"1.5h"}'],
	...['{"advance":"1w"}', '{"advance":""}', '{"advance":" 1h"}', '{"advance":"1h\\n"}', '{"advance":"1h","by":1}'],
	...["[]", "null", '"1h"', "25"],
])("the body %s", async (body) => {
	await expectProblem(send(body), 400, "validation-error");
});

test("an invalid duration is explained with its form", async () => {
	const refused = await expectProblem(send({ advance: "1 hour" }), 400, "validation-error", [
		"/advance invalid-format",
	]);
	expect(refused.errors?.[0]?.detail).toBe("Send a whole number above 0 and its unit, s, m, h or d: 25h.");
});

test("the body {", async () => {
	await expectProblem(send("{"), 400, "malformed-json");
});

test("more than ten years in total, after which the clock has not moved", async () => {
	await expectProblem(send({ advance: "999999999d" }), 400, "validation-error");
	const answer = await send({ advance: "1s" });
	expect(await answer.json()).toMatchObject({ aheadSeconds: 1 });
});
