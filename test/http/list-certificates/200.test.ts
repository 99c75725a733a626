/** A company's certificates, as its own tenant and owner see them. */
import { expect, test } from "bun:test";
import { createTenant, get, sharedService } from "../../support/service";
import { addCertificate } from "../support/certificates";

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
