import { beforeAll, test } from "bun:test";
import { get, post, sharedService, type TestService } from "../../support/service";
import { expectProblem, expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test.each([
	...["limit=0", "limit=101", "after=x", "offset=1", "action=company", "action=*", "action=company.*.x", "actor=a%20b"],
	...["from=2026-11-20", "to=2026-13-01T00:00:00Z", "to=x", `target=${"x".repeat(65)}`, "action=a.b&action=c.d"],
])("%s is refused", async (query) => {
	const { headers } = await tenantA();
	await expectProblem(get(service, `/v1/audit?${query}`, headers), 400, "validation-error");
});

test("one credential alone is not enough, and a token needs the scope", async () => {
	const { headers, apiKey, clientId: client_id, clientSecret: client_secret } = await tenantA();
	const { authorization = "" } = headers;
	await expectUnauthorised(get(service, "/v1/audit", { authorization }));
	await expectUnauthorised(get(service, "/v1/audit", { "x-api-key": apiKey }));
	const body = { grant_type: "client_credentials", client_id, client_secret, scope: "company:read" };
	const { access_token } = (await (await post(service, "/v1/auth/token", {}, body)).json()) as { access_token: string };
	const weak = { "x-api-key": apiKey, authorization: `Bearer ${access_token}` };
	await expectProblem(get(service, "/v1/audit", weak), 403, "insufficient-scope");
});
