/** A statement that timed out is not retried: the caller has waited long enough. */
import { beforeAll, expect, test } from "bun:test";
import {
	buildInvoice,
	createTenant,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
} from "../../support/service";
import { cutShort } from "../support/cut-short";
import { expectProblem } from "../support/problem";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

test("an invoice whose statement timed out is not stored and succeeds later", async () => {
	const body = buildInvoice(tenant);
	const key = { "idempotency-key": crypto.randomUUID() };
	const answer = await cutShort(service, { table: "documents", words: "intake" }, () =>
		postInvoice(service, tenant, body, key),
	);
	expect(answer.headers.get("retry-after")).toBe("1");
	await expectProblem(Promise.resolve(answer), 503, "service-unavailable");
	expect(await service.sql`select 1 from documents where tenant_id = ${tenant.tenantId}`).toHaveLength(0);
	expect((await postInvoice(service, tenant, body, key)).status).toBe(202);
});
