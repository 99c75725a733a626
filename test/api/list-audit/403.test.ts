import { beforeAll, test } from "bun:test";
import { get, post, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("403 for a token without the scope", async () => {
	const { apiKey, clientId: client_id, clientSecret: client_secret } = await tenantA();
	const body = { grant_type: "client_credentials", client_id, client_secret, scope: "company:read" };
	const { access_token } = (await (await post(service, "/v1/auth/token", {}, body)).json()) as { access_token: string };
	const weak = { "x-api-key": apiKey, authorization: `Bearer ${access_token}` };
	await expectProblem(get(service, "/v1/audit", weak), 403, "insufficient-scope");
});
