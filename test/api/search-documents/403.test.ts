import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";

const POLICY = '"search";q=10;w=4';

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
}, 120_000);

const search = (key: string, query = "field=name&q=srl&limit=1", headers: Record<string, string> = {}) =>
	get(service, `/v1/authority/document:search?${query}`, { "x-api-key": key, ...headers });

test("a key without the scope gets limit headers, and its refusals count", async () => {
	const key = await service.createKey({ plan: "free", scopes: ["invoices:read"] });
	const refused = await search(key);
	expect(refused.status).toBe(403);
	expect(refused.headers.get("ratelimit-policy")).toBe(POLICY);
});
