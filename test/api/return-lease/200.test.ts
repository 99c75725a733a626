import { expect, test } from "bun:test";
import { buildInvoice, get, postInvoice, sharedService } from "../../support/service";
import { createNumbered, encfOf, postLease, postSequence } from "../support/sequences";

test("a returned lease frees the numbers that no document has, and reads as returned", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 10]);
	const { _links } = (await (await postLease(service, tenant)).json()) as { _links: { self: string } };
	expect((await postInvoice(service, tenant, buildInvoice(tenant, { encf: encfOf(1) }))).status).toBe(202);
	const giveBack = () => fetch(`${service.url}${_links.self}`, { method: "DELETE", headers: tenant.headers });
	for (let n = 0; n < 2; n++) expect(await (await giveBack()).json()).toMatchObject({ status: "returned" });
	expect(await (await get(service, _links.self, tenant.headers)).json()).toMatchObject({
		status: "returned",
		count: 3,
	});
	const next = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
	expect(await next.json()).toMatchObject({ encf: encfOf(2) });
});
