/** Many invoices in one request: each its own outcome, the whole of it repeatable. */
import { beforeAll, describe, expect, test } from "bun:test";
import { toLocalIsoDate } from "../../../src/platform/values";
import { readPapers } from "../../support/documents";
import {
	createTenant,
	get,
	postInvoice,
	sharedService,
	type Tenant,
	type TestService,
	untilDecided,
} from "../../support/service";
import { batchInvoice, fates, postBatch, readBatch } from "../support/batches";
import { findLeaks } from "../support/problem";
import { tenantB, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await createTenant(service);
});

const key = () => ({ "idempotency-key": crypto.randomUUID() });
const countInvoices = async () =>
	(await service.sql<{ n: number }[]>`select count(*)::int as n from documents where tenant_id = ${tenant.tenantId}`)[0]
		?.n;

describe("the outcomes", () => {
	test("valid invoices become accepted documents with everything a receipt needs", async () => {
		const invoices = [batchInvoice(tenant), batchInvoice(tenant, { type: "32" }), batchInvoice(tenant)];
		const answer = await postBatch(service, tenant, { invoices }, key());
		expect([answer.status, answer.headers.get("idempotency-replayed")]).toEqual([200, "false"]);
		expect(answer.headers.get("cache-control")).toBe("private, no-store");
		const body = await readBatch(answer);
		expect(body).toEqual({
			results: invoices.map((invoice, index) => ({
				...{ index, status: 202, docId: expect.stringMatching(uuid), trackId: expect.stringMatching(uuid) },
				encf: invoice.encf,
				print: {
					securityCode: expect.stringMatching(/^[A-Za-z0-9+/]{6}$/),
					signedAt: expect.any(String),
					qrUrl: expect.stringContaining(String(invoice.encf)),
					contingency: null,
					legend: [],
				},
				warnings: [],
			})),
			...{ accepted: 3, replayed: 0, failed: 0 },
		} as never);
		for (const { docId = "" } of body.results)
			expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "accepted" });
		const { docId, trackId } = body.results[1] ?? {};
		const record = (await (await get(service, `/v1/invoices/${docId}`, tenant.headers)).json()) as object;
		expect(record).toMatchObject({ docId, trackId, request: invoices[1], type: "32" });
	});

	test("with print=escpos each issued document has its receipt", async () => {
		const invoices = [batchInvoice(tenant), batchInvoice(tenant, { lines: [] })];
		const answer = await fetch(`${service.url}/v1/invoices:batch?print=escpos&width=58`, {
			method: "POST",
			headers: { ...tenant.headers, "content-type": "application/json" },
			body: JSON.stringify({ invoices }),
		});
		const { results } = (await answer.json()) as { results: { status: number; print?: { escpos?: string } }[] };
		expect(results.map(({ status }) => status)).toEqual([202, 400]);
		expect(Buffer.from(results[0]?.print?.escpos ?? "", "base64").includes(String(invoices[0]?.encf))).toBe(true);
	});

	test("amounts in the document's currency are answered in pesos", async () => {
		const sent = { currency: "USD", exchange_rate: "2.00", amounts_in: "document" };
		const answer = await postBatch(service, tenant, { invoices: [batchInvoice(tenant, sent)] }, key());
		const totalsDop = { subtotal: "9000.00", tax: "1620.00", grand_total: "10620.00" };
		expect(await readBatch(answer)).toMatchObject({ results: [{ status: 202, totalsDop }] });
	});

	test("invalid invoices get their own problems, and the others are issued", async () => {
		const used = batchInvoice(tenant);
		const { docId } = (await (await postInvoice(service, tenant, used)).json()) as { docId: string };
		const totals = { subtotal: "4500.00", tax: "810.00", grand_total: "5310.01" };
		const before = await countInvoices();
		const body = await readBatch(
			postBatch(service, tenant, {
				invoices: [
					batchInvoice(tenant, { totals }),
					batchInvoice(tenant),
					{ ...batchInvoice(tenant), type: "45" },
					{ ...batchInvoice(tenant), lines: [] },
					"text",
					batchInvoice(tenant, { encf: used.encf }),
					{ ...batchInvoice(tenant), client_request_id: used.client_request_id },
					used,
					batchInvoice(tenant, { company: { rnc: "101010101", name: "OTRA" } }),
				],
			}),
		);
		expect(fates(body)).toEqual([
			"mathematical-discrepancy",
			202,
			"unsupported-ecf-type",
			"validation-error",
			"validation-error",
			"encf-already-used",
			"client-request-id-conflict",
			200,
			"company-rnc-mismatch",
		]);
		expect(body).toMatchObject({ accepted: 1, replayed: 1, failed: 7 });
		expect(body.results.map((result) => result.index)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8]);
		expect(body.results[5]?.problem).toMatchObject({ docId, status: 422, instance: "/v1/invoices:batch" });
		expect(body.results[6]?.problem).toMatchObject({ docId, differs: ["/encf"] });
		expect(body.results[7]).toMatchObject({ docId, replayed: true, encf: used.encf });
		expect(body.results[0]?.problem?.type).toBe(`${service.url}/errors/mathematical-discrepancy`);
		expect(findLeaks(JSON.stringify(body))).toEqual([]);
		expect(await countInvoices()).toBe((before ?? 0) + 1);
	});

	test("ask each invoice for an id of its own, beside its other faults", async () => {
		const { client_request_id: _, ...nameless } = batchInvoice(tenant);
		const body = await readBatch(postBatch(service, tenant, { invoices: [nameless, { ...nameless, encf: "x" }] }));
		const faults = body.results.map(({ problem }) => problem?.errors?.map(({ pointer, code }) => `${pointer} ${code}`));
		expect(faults).toEqual([
			["/client_request_id required"],
			expect.arrayContaining(["/client_request_id required", "/encf encf-form"]),
		] as never);
	});

	test("of refused invoices are in the language that the request prefers", async () => {
		const sent = { ...key(), "accept-language": "es-DO,es;q=0.9" };
		const body = await readBatch(
			postBatch(service, tenant, { invoices: [{ ...batchInvoice(tenant), lines: [] }] }, sent),
		);
		expect(body.results[0]?.problem).toMatchObject({
			...{ title: "La validación falló", detail: "1 campo no es válido." },
			errors: [{ pointer: "/lines", detail: "Menos de 1 elementos." }],
		});
	});
});

test("notes are checked against the documents that they modify", async () => {
	const ago = (days: number) => toLocalIsoDate(new Date(Date.now() - days * 86_400_000));
	const day = ago(1);
	const originals = Array.from({ length: 3 }, () => batchInvoice(tenant, { issue_date: day }));
	expect(fates(await readBatch(postBatch(service, tenant, { invoices: originals })))).toEqual([202, 202, 202]);
	const note = (encf: unknown, issue_date: string) =>
		batchInvoice(tenant, { type: "34", reference: { encf, issue_date, code: 1 } });
	const notes = originals.map(({ encf }, i) => note(encf, i === 1 ? ago(2) : day));
	const { results } = await readBatch(postBatch(service, tenant, { invoices: [...notes, batchInvoice(tenant)] }));
	const found = results.map((result) => result.warnings?.map(({ code, authorityCode }) => `${code} ${authorityCode}`));
	expect(found).toEqual([[], ["reference-date 634"], [], []]);
});

test("a certain rejection refuses its invoice alone, and a preference sends it", async () => {
	const refusing = await createTenant(service, { company: { settings: { knownRejections: "refuse" } } });
	const original = batchInvoice(refusing);
	const reference = { encf: original.encf, issue_date: toLocalIsoDate(new Date()), code: 3 };
	const notes = [batchInvoice(refusing, { type: "34" }), batchInvoice(refusing, { type: "34", reference })];
	const { results } = await readBatch(postBatch(service, refusing, { invoices: [original, ...notes] }));
	expect(results.map(({ status, warnings }) => [status, warnings])).toEqual([
		[202, []],
		[422, undefined],
		[202, []],
	]);
	expect(results[1]?.problem).toMatchObject({
		type: expect.stringMatching(/\/known-rejection$/),
		errors: [{ pointer: "/reference", code: "reference-missing", authorityCode: "64" }],
	});
	const headers = { prefer: "handling=lenient" };
	const answer = await postBatch(service, refusing, { invoices: [notes[0]] }, headers);
	expect(answer.headers.get("preference-applied")).toBe("handling=lenient");
	expect(fates(await readBatch(Promise.resolve(answer)))).toEqual([202]);
});

describe("within one batch", () => {
	test("the same invoice twice is one document", async () => {
		const invoice = batchInvoice(tenant);
		const body = await readBatch(postBatch(service, tenant, { invoices: [invoice, invoice, invoice] }));
		expect(fates(body)).toEqual([202, 200, 200]);
		expect(new Set(body.results.map((result) => result.docId)).size).toBe(1);
	});

	test("one number or one id for two invoices is given to the first", async () => {
		const [a, b] = [batchInvoice(tenant), batchInvoice(tenant)];
		const invoices = [a, { ...batchInvoice(tenant), encf: a.encf }, b, { ...b, encf: batchInvoice(tenant).encf }];
		const body = await readBatch(postBatch(service, tenant, { invoices }));
		expect(fates(body)).toEqual([202, "encf-already-used", 202, "client-request-id-conflict"]);
		expect(body.results[1]?.problem).toMatchObject({ docId: body.results[0]?.docId });
		expect(body.results[3]?.problem).toMatchObject({ docId: body.results[2]?.docId, differs: ["/encf"] });
	});

	test("an invoice that is refused leaves its number and id to a better one", async () => {
		const invoice = batchInvoice(tenant);
		const totals = { subtotal: "4500.00", tax: "810.00", grand_total: "9.00" };
		const body = await readBatch(postBatch(service, tenant, { invoices: [{ ...invoice, totals }, invoice] }));
		expect(fates(body)).toEqual(["mathematical-discrepancy", 202]);
	});
});

describe("lines", () => {
	test("are invoices; what is wrong with one is its own affair, even when it is no JSON", async () => {
		const good = [batchInvoice(tenant), batchInvoice(tenant)].map((invoice) => JSON.stringify(invoice));
		const lines = [good[0], "{", "", "  \r", `${good[1]}\r`, "[]", '{"a":1,"a":2}', "null", ""];
		const body = await readBatch(postBatch(service, tenant, lines));
		expect(fates(body)).toEqual([202, "malformed-json", 202, "validation-error", "malformed-json", "validation-error"]);
		const { docId } = body.results[2] ?? {};
		const papers = await readPapers(service.sql, [String(docId)]);
		expect(papers.get(String(docId))?.request).toBe(good[1] ?? "");
	});
});

describe("a repeat", () => {
	test("a repeat with the same key gets the same bytes in any form", async () => {
		const invoices = [batchInvoice(tenant), { ...batchInvoice(tenant), lines: [] }, batchInvoice(tenant)];
		const own = key();
		const first = await postBatch(service, tenant, { invoices }, own);
		const bytes = await first.text();
		const before = await countInvoices();
		const lines = invoices.map((invoice) => JSON.stringify(invoice));
		for (const body of [{ invoices }, JSON.stringify({ invoices }, null, 2), lines]) {
			const again = await postBatch(service, tenant, body, own);
			expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
			expect(await again.text()).toBe(bytes);
		}
		expect(await countInvoices()).toBe(before ?? 0);
	});

	test("without a key finds each document by its own id", async () => {
		const invoices = [batchInvoice(tenant), batchInvoice(tenant)];
		const first = await readBatch(postBatch(service, tenant, { invoices }));
		const again = await readBatch(postBatch(service, tenant, { invoices: invoices.toReversed() }));
		expect(again).toMatchObject({ accepted: 0, replayed: 2, failed: 0 });
		expect(again.results.map((result) => result.docId)).toEqual(first.results.map((result) => result.docId).reverse());
	});

	test("of a batch of which nothing was kept may be corrected under the same key", async () => {
		const own = key();
		const invoice = batchInvoice(tenant);
		expect(fates(await readBatch(postBatch(service, tenant, { invoices: [{ ...invoice, lines: [] }] }, own)))).toEqual([
			"validation-error",
		]);
		expect(fates(await readBatch(postBatch(service, tenant, { invoices: [invoice] }, own)))).toEqual([202]);
	});

	test("sent ten times at once under one key is one batch", async () => {
		const own = key();
		const invoices = Array.from({ length: 5 }, () => batchInvoice(tenant));
		const before = await countInvoices();
		const answers = await Promise.all(Array.from({ length: 10 }, () => postBatch(service, tenant, { invoices }, own)));
		const texts = new Set(await Promise.all(answers.map((answer) => answer.text())));
		expect(texts.size).toBe(1);
		expect(answers.filter((answer) => answer.headers.get("idempotency-replayed") === "false")).toHaveLength(1);
		expect(await countInvoices()).toBe((before ?? 0) + 5);
	});

	test("of the same invoices in many batches at once, in all orders, issues each once", async () => {
		const invoices = Array.from({ length: 12 }, () => batchInvoice(tenant));
		const before = await countInvoices();
		const rotate = (by: number) => [...invoices.slice(by), ...invoices.slice(0, by)];
		const bodies = [invoices, invoices.toReversed(), rotate(4), rotate(9).toReversed(), invoices.slice(3, 9)];
		const answers = await Promise.all(
			bodies.map((some) => readBatch(postBatch(service, tenant, { invoices: some }, key()))),
		);
		expect(answers.flatMap(fates).filter((fate) => fate !== 202 && fate !== 200)).toEqual([]);
		expect(answers.flatMap(fates).filter((fate) => fate === 202)).toHaveLength(12);
		const docIds = new Set(answers.flatMap((answer) => answer.results.map((result) => result.docId)));
		expect(docIds.size).toBe(12);
		expect(await countInvoices()).toBe((before ?? 0) + 12);
	});
});

test("a batch and single requests for the same invoices issue each once", async () => {
	const invoices = Array.from({ length: 8 }, () => batchInvoice(tenant));
	const [batch, ...single] = await Promise.all([
		readBatch(postBatch(service, tenant, { invoices })),
		...invoices.map(async (invoice) => {
			const answer = await postInvoice(service, tenant, invoice);
			return { status: answer.status, docId: ((await answer.json()) as { docId: string }).docId };
		}),
	]);
	single.forEach((alone, i) => {
		expect(alone.docId).toBe(batch.results[i]?.docId ?? "");
		expect([alone.status, batch.results[i]?.status].sort()).toEqual([200, 202]);
	});
});

test("another tenant's numbers, ids and keys say nothing", async () => {
	const stranger = await tenantB();
	const own = key();
	const invoice = batchInvoice(tenant);
	await postBatch(service, tenant, { invoices: [invoice] }, own);
	const theirs = batchInvoice(stranger, { encf: invoice.encf, client_request_id: invoice.client_request_id });
	const answer = await postBatch(service, stranger, { invoices: [theirs] }, own);
	expect(answer.headers.get("idempotency-replayed")).toBe("false");
	expect(fates(await readBatch(answer))).toEqual([202]);
});
