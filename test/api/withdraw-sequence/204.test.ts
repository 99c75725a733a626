import { expect, test } from "bun:test";
import { buildInvoice, createTenant, get, postInvoice, sharedService } from "../../support/service";
import { createNumbered, encfOf, postSequence, withdrawSequence } from "../support/sequences";

test("numbers of a withdrawn sequence are not assigned; the next one's are", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	const { id } = (await (await postSequence(service, tenant, [1, 10])).json()) as { id: string };
	await postSequence(service, tenant, [101, 200], { expiresAt: "2031-12-31" });
	const issue = async () =>
		(await (await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }))).json()) as {
			encf: string;
			docId: string;
		};
	const before = await issue();
	expect(before.encf).toBe(encfOf(1));
	const answer = await withdrawSequence(service, tenant, id);
	expect([answer.status, await answer.text()]).toEqual([204, ""]);
	expect((await issue()).encf).toBe(encfOf(101));
	expect((await get(service, `/v1/invoices/${before.docId}`, tenant.headers)).status).toBe(200);
	expect(await (await get(service, "/v1/sequences", tenant.headers)).json()).toMatchObject({
		...{ count: 1, items: [{ from: encfOf(101), available: 99 }] },
	});
});

test("a withdrawn range can be registered again, without used numbers", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	const { id } = (await (await postSequence(service, tenant, [1, 10])).json()) as { id: string };
	await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
	await withdrawSequence(service, tenant, id);
	expect(await (await postSequence(service, tenant, [1, 5])).json()).toMatchObject({ next: encfOf(2), available: 4 });
});

test("in a sandbox a type without sequences has the test range again", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	const { id } = (await (await postSequence(service, tenant, [1, 10])).json()) as { id: string };
	await withdrawSequence(service, tenant, id);
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }));
	expect(await answer.json()).toMatchObject({ encf: "E310000000001" });
});

test("another company's sequence of the same numbers stays", async () => {
	const service = await sharedService();
	const [tenant, other] = await Promise.all([createTenant(service), createTenant(service)]);
	const { id } = (await (await postSequence(service, tenant, [1, 10])).json()) as { id: string };
	await postSequence(service, other, [1, 10]);
	expect((await withdrawSequence(service, tenant, id)).status).toBe(204);
	expect(await (await get(service, "/v1/sequences", other.headers)).json()).toMatchObject({ count: 1 });
});
