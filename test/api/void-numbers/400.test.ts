import { beforeAll, expect, test } from "bun:test";
import { get, post, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { createNumbered, encfOf, postSequence } from "../support/sequences";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("a rehearsal, which a void has none of, voids nothing", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 10]);
	const body = { type: "31", from: encfOf(1), to: encfOf(10), reason: "Prueba" };
	const answer = post(service, "/v1/sequences/void?dry_run=true", tenant.headers, body);
	await expectProblem(answer, 400, "validation-error", ["#/query/dry_run unknown-parameter"]);
	const list = await get(service, "/v1/sequences", tenant.headers);
	expect(await list.json()).toMatchObject({ items: [{ available: 10 }] });
});
