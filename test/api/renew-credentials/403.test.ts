import { beforeAll, expect, test } from "bun:test";
import { changeStatus } from "../../../src/companies";
import { retireClients } from "../../../src/identity/auth";
import { createTenant, sharedService, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { sendAround } from "../support/slow-body";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

test("a company closed in the meantime gets no lasting credentials", async () => {
	const { sql } = service;
	const { tenantId, apiKey } = await createTenant(service);
	const doer = { actor: { address: "127.0.0.1" }, at: new Date() };
	const line = `POST /v1/company/${tenantId}/credentials`;
	const answer = sendAround(service, line, { headers: { "x-api-key": apiKey }, body: {} }, () =>
		changeStatus({ sql, access: { retireClients } }, tenantId, "close", doer),
	);
	await expectProblem(answer, 403, "forbidden");
	expect(await sql`select 1 from oauth_clients where tenant_id = ${tenantId} and expires_at is null`).toHaveLength(0);
});
