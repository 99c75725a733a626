/** A company's certificates, as its own tenant and owner see them. */
import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { addCertificate, listStatuses } from "../support/certificates";

test("all of them, latest first, without anything of their keys", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const added = await addCertificate(service, tenant);
	const answer = await get(service, `/v1/company/${tenant.tenantId}/certificates`, tenant.headers);
	expect(answer.status).toBe(200);
	const { probe: _, warnings: __, ...record } = added;
	expect(await answer.json()).toEqual({
		items: [record, expect.objectContaining({ status: "retired", ephemeral: true })],
		count: 2,
	});
});

test("one that has run out is told as expired, also where it was retired before", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await addCertificate(service, tenant);
	await service.sql`update signing_certificates set not_after = now() - interval '1 day' where tenant_id = ${tenant.tenantId}`;
	expect(Object.values(await listStatuses(service, tenant))).toEqual(["expired", "expired"]);
});
