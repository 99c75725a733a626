/** There is a schema for the six types that the service issues and for nothing else. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Served, serveDeclared } from "../support/declared-operations";

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

test.each(["43", "45", "3", "031", "31.json", "E31", "%20", "__proto__"])("the type %s has no schema", async (type) => {
	const answer = await fetch(`${served.url}/v1/schemas/${type}`);
	expect(answer.status).toBe(404);
	expect(answer.headers.get("content-type")).toStartWith("application/problem+json");
	expect(((await answer.json()) as { type: string }).type).toEndWith("/errors/not-found");
});
