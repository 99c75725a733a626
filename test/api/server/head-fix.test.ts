/** Answers to HEAD have the headers of GET, whatever framework and runtime do with an answer without content. */
import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const entry = "/v1/authority/document/131880681";
const head = (path: string, headers: Record<string, string> = {}) =>
	fetch(`${service.url}${path}`, { method: "HEAD", headers: { ...key, ...headers } });

test("an answer to HEAD has a date, and so has a refusal", async () => {
	for (const path of [entry, "/v1/authority/document/999999999", "/livez", "/", "/v1/nothing"]) {
		const found = Date.parse((await head(path)).headers.get("date") ?? "");
		expect([path, Math.abs(Date.now() - found) < 60_000]).toEqual([path, true]);
	}
});

test("a 304 to HEAD has no length, as the one to GET", async () => {
	const etag = (await get(service, entry, key)).headers.get("etag") ?? "";
	const answer = await head(entry, { "if-none-match": etag });
	expect([answer.status, answer.headers.get("etag")]).toEqual([304, etag]);
	expect(answer.headers.get("content-length")).toBeNull();
	expect((await head(entry)).headers.get("content-length")).toMatch(/^[1-9][0-9]+$/);
});
