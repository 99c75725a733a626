import { beforeAll, expect, test } from "bun:test";
import { get, sharedService, type TestService } from "../../support/service";
import { expectUnauthorised } from "../support/problem";
import { tenantA, tenantB, UNKNOWN_KEY } from "../support/tenants";

let service: TestService;
let key: Record<string, string>;
beforeAll(async () => {
	service = await sharedService();
	key = { "x-api-key": await service.createKey({ scopes: ["registry:read"] }) };
});

const lookUp = (document: string, headers = key) => get(service, `/v1/authority/document/${document}`, headers);

test("401 without a key, even with a token", async () => {
	const { token } = await tenantA();
	await expectUnauthorised(lookUp("131880681", {}));
	await expectUnauthorised(lookUp("131880681", { "x-api-key": UNKNOWN_KEY }));
	await expectUnauthorised(lookUp("131880681", { authorization: `Bearer ${token}` }));
});

test("401 with an invalid token or another owner's token besides the key", async () => {
	await expectUnauthorised(lookUp("131880681", { ...key, authorization: "Bearer x" }));
	await expectUnauthorised(lookUp("131880681", { ...key, authorization: `Bearer ${(await tenantB()).token}` }));
	expect((await lookUp("131880681", { ...(await tenantA()).headers })).status).toBe(200);
});
