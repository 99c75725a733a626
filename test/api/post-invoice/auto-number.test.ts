/** Invoices whose number the service gives. */
import { beforeAll, describe, expect, test } from "bun:test";
import {
	buildInvoice,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { until } from "../../support/until";
import { expectProblem } from "../support/problem";
import { createNumbered, encfOf, postSequence } from "../support/sequences";

let service: TestService;
beforeAll(async () => {
	service = await sharedService();
});

type Ack = { docId: string; encf: string; print: { qrUrl: string }; warnings: unknown[] };
const send = (tenant: Tenant, over: Record<string, unknown> = {}, headers: Record<string, string> = {}) =>
	postInvoice(service, tenant, buildInvoice(tenant, { encf: "auto", ...over }), headers);
const available = async (tenant: Tenant) => {
	const { items } = (await (await get(service, "/v1/sequences", tenant.headers)).json()) as {
		items: { available: number }[];
	};
	return items.reduce((sum, one) => sum + one.available, 0);
};

describe('encf "auto"', () => {
	test("is replaced by the next number; the document has the sequence's last day", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [77, 99], { expiresAt: "2029-12-31" });
		const answer = await send(tenant);
		expect(answer.status).toBe(202);
		const ack = (await answer.json()) as Ack;
		expect(ack).toMatchObject({ encf: encfOf(77), warnings: [] });
		expect(ack.print.qrUrl).toContain(`ENCF=${encfOf(77)}`);
		const xml = await (await get(service, `/v1/invoices/${ack.docId}/xml`, tenant.headers)).text();
		expect(xml).toContain(
			`<eNCF>${encfOf(77)}</eNCF><FechaVencimientoSecuencia>31-12-2029</FechaVencimientoSecuencia>`,
		);
		expect(await untilDecided(service, tenant, ack.docId)).toMatchObject({ status: "accepted" });
		expect(await (await get(service, `/v1/invoices/${ack.docId}`, tenant.headers)).json()).toMatchObject({
			encf: encfOf(77),
		});
	});

	test("a caller's number of a registered sequence has its last day too", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 99], { expiresAt: "2029-12-31" });
		const { docId } = (await (await send(tenant, { encf: encfOf(50) })).json()) as Ack;
		const xml = await (await get(service, `/v1/invoices/${docId}/xml`, tenant.headers)).text();
		expect(xml).toContain("<FechaVencimientoSecuencia>31-12-2029</FechaVencimientoSecuencia>");
	});

	test("without anything registered is the first of the test environment's range", async () => {
		const tenant = await createNumbered(service);
		expect(await (await send(tenant)).json()).toMatchObject({ encf: "E310000000001" });
		const small = { totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" }, type: "32" };
		expect(await (await send(tenant, small)).json()).toMatchObject({ encf: "E320000000001" });
	});

	test("sent eighty times at once gives eighty numbers without a gap", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 100]);
		const answers = await Promise.all(Array.from({ length: 80 }, () => send(tenant)));
		const given = await Promise.all(answers.map(async (one) => ((await one.json()) as Ack).encf));
		expect(given.sort()).toEqual(Array.from({ length: 80 }, (_, i) => encfOf(i + 1)));
		expect(await available(tenant)).toBe(20);
	});

	test("under one key is one number, however often it is sent", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 100]);
		const body = buildInvoice(tenant, { encf: "auto" });
		const key = { "idempotency-key": crypto.randomUUID() };
		const answers = await Promise.all(Array.from({ length: 12 }, () => postInvoice(service, tenant, body, key)));
		expect(new Set(await Promise.all(answers.map((one) => one.text()))).size).toBe(1);
		expect(await available(tenant)).toBe(99);
	});

	test("under one client_request_id is one document, and no number is lost", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 100]);
		const body = buildInvoice(tenant, { encf: "auto", client_request_id: `crid-${crypto.randomUUID()}` });
		const answers = await Promise.all(Array.from({ length: 6 }, () => postInvoice(service, tenant, body)));
		expect(new Set(await Promise.all(answers.map(async (one) => ((await one.json()) as Ack).docId))).size).toBe(1);
		expect(await available(tenant)).toBe(99);
	});

	test("that is refused takes no number", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 3]);
		await expectProblem(send(tenant, { company: { rnc: "131880681", name: "OTRA" } }), 422, "company-rnc-mismatch");
		await expectProblem(
			send(tenant, { totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.01" } }),
			...([422, "mathematical-discrepancy"] as const),
		);
		expect(await available(tenant)).toBe(3);
		expect(await (await send(tenant)).json()).toMatchObject({ encf: encfOf(1) });
	});

	test("passes over numbers that the caller has used itself", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 9]);
		for (const n of [1, 3]) expect((await send(tenant, { encf: encfOf(n) })).status).toBe(202);
		const given = [await send(tenant), await send(tenant)];
		expect(await Promise.all(given.map(async (one) => ((await one.json()) as Ack).encf))).toEqual([
			encfOf(2),
			encfOf(4),
		]);
	});

	test("gives a number again that the authority has given back", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 9]);
		const { docId } = (await (await send(tenant)).json()) as Ack;
		await untilDecided(service, tenant, docId);
		await service.sql`select release_numbers(${[tenant.tenantId]}::uuid[], ${[docId]}::uuid[])`;
		expect(await (await send(tenant)).json()).toMatchObject({ encf: encfOf(1) });
	});
});

describe("sequence-exhausted", () => {
	test("answers when the last number is gone, and the number that comes back ends it", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 2]);
		const answers = await Promise.all([1, 2, 3, 4].map(() => send(tenant)));
		expect(answers.map(({ status }) => status).sort()).toEqual([202, 202, 422, 422]);
		const problem = await expectProblem(send(tenant), 422, "sequence-exhausted", ["/encf sequence-exhausted"]);
		expect(problem.fix).toBe("/v1/sequences");
		await postSequence(service, tenant, [10, 10]);
		expect(await (await send(tenant)).json()).toMatchObject({ encf: encfOf(10) });
	});

	test("answers when all sequences have expired", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [1, 2]);
		await service.sql`update sequences set expires_on = '2020-12-31' where tenant_id = ${tenant.tenantId}`;
		await expectProblem(send(tenant), 422, "sequence-exhausted");
		const { items } = (await (await get(service, "/v1/sequences", tenant.headers)).json()) as {
			items: { status: string }[];
		};
		expect(items[0]?.status).toBe("expired");
	});

	test("does not consume the key: the same request passes once a sequence is there", async () => {
		const tenant = await createNumbered(service);
		await postSequence(service, tenant, [5, 5]);
		await send(tenant);
		const key = { "idempotency-key": crypto.randomUUID() };
		await expectProblem(send(tenant, {}, key), 422, "sequence-exhausted");
		await postSequence(service, tenant, [6, 6]);
		expect(await (await send(tenant, {}, key)).json()).toMatchObject({ encf: encfOf(6) });
	});
});

test("sequence.low is sent once for each threshold", async () => {
	const tenant = await createNumbered(service);
	await postSequence(service, tenant, [1, 20]);
	for (let n = 0; n < 20; n++) expect((await send(tenant)).status).toBe(202);
	const events = () => service.sql<{ body: string }[]>`
		select body from events where tenant_id = ${tenant.tenantId} and event = 'sequence.low' order by sequence`;
	await until(async () => (await events()).length >= 3);
	expect((await events()).map(({ body }) => (JSON.parse(body) as { low: unknown }).low)).toEqual([
		{ type: "31", available: 4, percent: 20 },
		{ type: "31", available: 1, percent: 5 },
		{ type: "31", available: 0, percent: 0 },
	]);
});
