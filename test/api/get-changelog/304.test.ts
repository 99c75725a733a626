import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Served, serveDeclared } from "../support/declared-operations";

let served: Served;
beforeAll(() => {
	served = serveDeclared();
});
afterAll(() => served.stop());

test("a reader that has the changelog gets 304", async () => {
	for (const path of ["/changelog", "/v1/changelog", "/changelog.atom", "/changelog.json"]) {
		const etag = (await fetch(served.url + path)).headers.get("etag") ?? "";
		const again = await fetch(served.url + path, { headers: { "if-none-match": etag } });
		expect({ path, status: again.status, text: await again.text() }).toEqual({ path, status: 304, text: "" });
		expect(again.headers.get("etag")).toBe(etag);
	}
});
