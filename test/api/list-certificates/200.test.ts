/** A company's certificates, as its own tenant and owner see them. */
import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { addCertificate, listStatuses } from "../support/certificates";

test("all certificates, newest first, without key data", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const added = await addCertificate(service, tenant);
	const answer = await get(service, `/v1/company/${tenant.tenantId}/certificates`, tenant.headers);
	expect(answer.status).toBe(200);
	const { probe: _, warnings: __, ...record } = added;
	expect(await answer.json()).toEqual({
		items: [record, expect.objectContaining({ status: "retired", ephemeral: true })],
		...{ count: 2, partial: false, next: null },
	});
});

test("an expired certificate is shown as expired, even if it was retired", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await addCertificate(service, tenant);
	await service.sql`update signing_certificates set not_after = now() - interval '1 day' where tenant_id = ${tenant.tenantId}`;
	expect(Object.values(await listStatuses(service, tenant))).toEqual(["expired", "expired"]);
});

test("certificates are paged, newest first", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	const { id } = await addCertificate(service, tenant);
	const path = `/v1/company/${tenant.tenantId}/certificates?limit=1`;
	const first = await (await get(service, path, tenant.headers)).json();
	expect(first).toMatchObject({ items: [{ id }], count: 1, partial: true, next: id });
	const rest = await (await get(service, `${path}&after=${id}`, tenant.headers)).json();
	expect(rest).toMatchObject({ items: [{ status: "retired" }], count: 1, partial: false, next: null });
});
