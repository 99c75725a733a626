import { expect, test } from "bun:test";
import { buildInvoice, createTenant, get, postInvoice, sharedService } from "../../support/service";
import { createNumbered, encfOf, postSequence } from "../support/sequences";

test("sequences are listed in order of use, with remaining numbers and forecast", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [101, 200], { expiresAt: "2031-12-31" });
	await postSequence(service, tenant, [1, 10]);
	for (let n = 0; n < 4; n++) {
		expect((await postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto" }))).status).toBe(202);
	}
	const body = (await (await get(service, "/v1/sequences", tenant.headers)).json()) as {
		items: { from: string; next: string; available: number; forecast: { perDay: number; exhaustedOn: string } }[];
	};
	expect(body).toMatchObject({
		count: 2,
		items: [
			{ from: encfOf(1), to: encfOf(10), next: encfOf(5), available: 6, status: "active", forecast: { perDay: 4 } },
			{ from: encfOf(101), next: encfOf(101), available: 100, forecast: { perDay: 4 } },
		],
	});
	const days = body.items.map(({ forecast }) => Date.parse(forecast.exhaustedOn));
	expect((days[1] ?? 0) - (days[0] ?? 0)).toBe(25 * 86_400_000);
});

test("a tenant sees its own sequences alone", async () => {
	const service = await sharedService();
	const tenant = await createTenant(service);
	await postSequence(service, await createTenant(service), [1, 10]);
	expect(await (await get(service, "/v1/sequences", tenant.headers)).json()).toEqual({
		...{ items: [], count: 0, partial: false, next: null },
	});
});

test("pages of sequences follow the order of use", async () => {
	const service = await sharedService();
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [101, 200], { expiresAt: "2031-12-31" });
	await postSequence(service, tenant, [1, 10]);
	await postSequence(service, tenant, [11, 20]);
	const page = async (query: string) => (await get(service, `/v1/sequences?${query}`, tenant.headers)).json();
	const first = (await page("limit=2")) as { next: string };
	expect(first).toMatchObject({ items: [{ from: encfOf(1) }, { from: encfOf(11) }], count: 2, partial: true });
	expect(await page(`limit=2&after=${first.next}`)).toMatchObject({
		...{ items: [{ from: encfOf(101) }], count: 1, partial: false, next: null },
	});
});
