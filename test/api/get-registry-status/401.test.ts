import { beforeAll, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

const PATH = "/v1/authority/registry/status";

test("401 without a key", () => expectUnauthorised(get(service, PATH)));
