import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const lookUp = (document: string, headers = key) => get(service, `/v1/authority/document/${document}`, headers);

test("304 for a caller that has the entry", async () => {
	const etag = (await lookUp("131880681")).headers.get("etag") ?? "";
	const answer = await lookUp("131880681", { ...key, "if-none-match": etag });
	expect([answer.status, await answer.text()]).toEqual([304, ""]);
	expect(answer.headers.get("cache-control")).toBe("public, max-age=300");
});
