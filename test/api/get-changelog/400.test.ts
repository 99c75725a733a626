import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Served, serveDeclared } from "../support/declared-operations";

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

test("a parameter that the changelog does not know is refused", async () => {
	const answer = await fetch(`${served.url}/v1/changelog?area=identity`);
	expect(answer.status).toBe(400);
	expect(await answer.json()).toMatchObject({ errors: [{ pointer: "#/query/area", code: "unknown-parameter" }] });
});
