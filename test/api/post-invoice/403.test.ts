/** Callers who are known and may not issue. */
import { beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	post,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { expectProblem } from "../support/problem";
import { tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

async function expectScope(answer: Response): Promise<void> {
	expect(answer.headers.get("www-authenticate")).toBe('Bearer error="insufficient_scope", scope="invoices:write"');
	const problem = await expectProblem(answer, 403, "insufficient-scope");
	expect(problem.requiredScopes).toEqual(["invoices:write"]);
}

test("a token with fewer scopes than its client has", async () => {
	const { clientId: client_id, clientSecret: client_secret } = tenant;
	const body = { grant_type: "client_credentials", client_id, client_secret, scope: "invoices:read" };
	const { access_token } = (await (await post(service, "/v1/auth/token", {}, body)).json()) as { access_token: string };
	const headers = { ...tenant.headers, authorization: `Bearer ${access_token}` };
	await expectScope(await postInvoice(service, { ...tenant, headers }, buildInvoice(tenant)));
});

test("a company made with a key that could not issue", async () => {
	const limited = await createTenant(service, { scopes: ["company:write", "invoices:read"] });
	await expectScope(await postInvoice(service, limited, buildInvoice(limited)));
});
