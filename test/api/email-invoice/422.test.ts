/** A company that is suspended does not say by mail what it may not say by an invoice. */
import { test } from "bun:test";
import { buildInvoice, createTenant, postInvoice, sharedService } from "../../support/service";
import { postEmail } from "../support/emails";
import { expectProblem } from "../support/problem";

test("a suspended company mails nothing", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { docId } = (await (await postInvoice(service, tenant, buildInvoice(tenant))).json()) as { docId: string };
	await service.sql`update companies set status = 'suspended' where tenant_id = ${tenant.tenantId}`;
	await expectProblem(postEmail(service, tenant, docId, { to: ["a@c.example"] }), 422, "tenant-config-missing");
});
