import { expect, test } from "bun:test";
import { get, post, sharedService } from "../../support/service";
import { expectProblem, expectUnauthorised } from "../support/problem";
import { tenantA } from "../support/tenants";

test.each([
	...["limit=0", "after=x", "after=LTEgeA", "from=2026-02-30", "to=x", "type=311", "status=pending", "customer=1"],
	`after=${Buffer.from("99999999999999 a").toString("base64url")}`,
])("%s is refused", async (query) => {
	const { headers } = await tenantA();
	await expectProblem(get(await sharedService(), `/v1/archive?${query}`, { ...headers }), 400, "validation-error");
});

test("one credential alone is not enough, and a token needs the scope", async () => {
	const service = await sharedService();
	const { headers, apiKey, clientId: client_id, clientSecret: client_secret } = await tenantA();
	const { authorization = "" } = headers;
	await expectUnauthorised(get(service, "/v1/archive", { authorization }));
	await expectUnauthorised(get(service, "/v1/archive/exports", { "x-api-key": apiKey }));
	const body = { grant_type: "client_credentials", client_id, client_secret, scope: "invoices:read" };
	const { access_token } = (await (await post(service, "/v1/auth/token", {}, body)).json()) as { access_token: string };
	const weak = { "x-api-key": apiKey, authorization: `Bearer ${access_token}` };
	for (const path of ["/v1/archive", "/v1/archive/exports"]) {
		const problem = await expectProblem(get(service, path, weak), 403, "insufficient-scope");
		expect(problem.requiredScopes).toEqual(["archive:read"]);
	}
});
