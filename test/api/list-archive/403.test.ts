import { expect, test } from "bun:test";
import { get, post, sharedService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

test("403 for a token without the scope", async () => {
	const service = await sharedService();
	const { apiKey, clientId: client_id, clientSecret: client_secret } = await tenantA();
	const body = { grant_type: "client_credentials", client_id, client_secret, scope: "invoices:read" };
	const { access_token } = (await (await post(service, "/v1/auth/token", {}, body)).json()) as { access_token: string };
	const weak = { "x-api-key": apiKey, authorization: `Bearer ${access_token}` };
	for (const path of ["/v1/archive", "/v1/archive/exports"]) {
		const problem = await expectProblem(get(service, path, weak), 403, "insufficient-scope");
		expect(problem.requiredScopes).toEqual(["archive:read"]);
	}
});
