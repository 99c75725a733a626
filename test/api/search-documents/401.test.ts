import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const search = (query: string, headers = key) => get(service, `/v1/authority/document:search?${query}`, headers);

test("401 without a key", () => expectUnauthorised(search("q=abc&field=name", {})));
