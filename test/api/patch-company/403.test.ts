import { beforeAll, expect, test } from "bun:test";
import { createTenant, post, sharedService, type Tenant, type TestService } from "../../support/service";
import { sendPatch } from "../support/patches";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("a token without the write scope may not change it", async () => {
	const { clientId: client_id, clientSecret: client_secret } = tenant;
	const body = { grant_type: "client_credentials", client_id, client_secret, scope: "company:read" };
	const { access_token } = (await (await post(service, "/v1/auth/token", {}, body)).json()) as { access_token: string };
	const answer = sendPatch(service, tenant, {}, { authorization: `Bearer ${access_token}` });
	const { requiredScopes } = await expectProblem(answer, 403, "insufficient-scope");
	expect(requiredScopes).toEqual(["company:write"]);
});
