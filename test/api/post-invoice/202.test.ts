/** What an accepted invoice is answered. */
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
import { freeTenant, instant, tenantA, uuid } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Ack = { docId: string; status: string; warnings: { code: string; pointer: string }[]; [more: string]: unknown };
const issue = async (over: Record<string, unknown> = {}) => {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant, over));
	const text = await answer.text();
	expect({ status: answer.status, text }).toEqual({ status: 202, text });
	return JSON.parse(text) as Ack;
};
const warningsOf = async (over: Record<string, unknown>) =>
	(await issue(over)).warnings.map(({ pointer, code }) => `${pointer} ${code}`);

const line = (over: Record<string, unknown> = {}) => ({
	...{ line_number: 1, description: "Cemento", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
	...over,
});

test("the acknowledgement has the members that a receipt needs, and no other", async () => {
	const invoice = buildInvoice(tenant);
	const answer = await postInvoice(service, tenant, invoice);
	expect(answer.status).toBe(202);
	const text = await answer.text();
	const body = JSON.parse(text);
	expect(body).toEqual({
		docId: expect.stringMatching(uuid),
		trackId: expect.stringMatching(uuid),
		status: "pending",
		encf: invoice.encf,
		receivedAt: expect.stringMatching(instant),
		print: {
			securityCode: expect.stringMatching(/^[A-Za-z0-9+/]{6}$/),
			signedAt: expect.stringMatching(instant),
			qrUrl: expect.stringContaining(`ENCF=${invoice.encf}`),
			contingency: null,
			legend: [],
		},
		warnings: [],
		_links: {
			self: `/v1/invoices/${body.docId}`,
			status: `/v1/invoices/${body.docId}/status`,
			xml: `/v1/invoices/${body.docId}/xml`,
			pdf: `/v1/invoices/${body.docId}/pdf`,
		},
	});
	expect(Object.keys(body).slice(0, 3)).toEqual(["docId", "trackId", "status"]);
	expect(Object.fromEntries(answer.headers)).toEqual({
		"content-type": "application/json; charset=utf-8",
		"content-length": String(Buffer.byteLength(text)),
		location: `/v1/invoices/${body.docId}`,
		"retry-after": "5",
		"idempotency-replayed": "false",
		"x-request-id": expect.stringMatching(uuid),
		"x-content-type-options": "nosniff",
		date: expect.any(String),
	});
});

test("with print=escpos the answer and its replays have the receipt, unstored", async () => {
	const invoice = buildInvoice(tenant);
	const headers = {
		...tenant.headers,
		...{ "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
	};
	const send = (query: string) =>
		fetch(`${service.url}/v1/invoices${query}`, { method: "POST", headers, body: JSON.stringify(invoice) });
	const refused = await send("?print=escpos&width=70");
	expect(refused.status).toBe(400);
	const first = await send("?print=escpos&width=80");
	expect(first.status).toBe(202);
	const printed = (await first.json()) as Ack & { print: { [member: string]: unknown; escpos: string } };
	const { escpos, ...print } = printed.print;
	const receipt = Buffer.from(escpos, "base64");
	expect([...receipt.subarray(0, 2)]).toEqual([0x1b, 0x40]);
	expect(receipt.includes(String(invoice.encf))).toBe(true);
	const plain = await send("");
	expect([plain.status, plain.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
	expect(await plain.json()).toEqual({ ...printed, print });
	const narrow = (await (await send("?print=escpos&width=58")).json()) as typeof printed;
	expect({ ...narrow, print: { ...narrow.print, escpos } }).toEqual(printed);
	const lineWidth = (base64: unknown) =>
		/-{10,}/.exec(Buffer.from(String(base64), "base64").toString("latin1"))?.[0].length;
	expect([lineWidth(escpos), lineWidth(narrow.print.escpos)]).toEqual([48, 32]);
});

test("the free plan gets Retry-After of thirty seconds", async () => {
	const free = await freeTenant();
	const answer = await postInvoice(service, free, buildInvoice(free));
	expect([answer.status, answer.headers.get("retry-after")]).toEqual([202, "30"]);
});

test("the security code starts the stored signature and is encoded in the QR", async () => {
	const { docId, print } = (await issue()) as Ack & { print: { securityCode: string; qrUrl: string } };
	const xml = await (await get(service, `/v1/invoices/${docId}/xml`, tenant.headers)).text();
	expect(/<SignatureValue[^>]*>(.{6})/.exec(xml)?.[1]).toBe(print.securityCode);
	expect(new URL(print.qrUrl).searchParams.get("CodigoSeguridad")).toBe(print.securityCode);
	expect(print.qrUrl).not.toMatch(/[ +]/);
});

test("its own words for the request id come back", async () => {
	const answer = await postInvoice(service, tenant, buildInvoice(tenant), { "x-request-id": "POS7.order-9912" });
	expect(answer.headers.get("x-request-id")).toBe("POS7.order-9912");
});

test("amounts in the document's currency are answered in pesos, and listed as sent", async () => {
	const sent = { currency: "USD", exchange_rate: "59.1234", amounts_in: "document" };
	const answer = (await issue({ ...sent, lines: [line({ tax_rate: "18" })] })) as Ack & Record<string, unknown>;
	expect(answer.warnings).toEqual([]);
	// 4,500.00 at the rate, 18 % of that, and both.
	expect(answer.totalsDop).toEqual({ subtotal: "266055.30", tax: "47889.95", grand_total: "313945.25" });
	const list = await get(service, `/v1/invoices?encf=${answer.encf}`, tenant.headers);
	expect(((await list.json()) as { items: unknown[] }).items).toMatchObject([
		{ currency: "USD", totals: { grand_total: "5310.00" } },
	]);
	expect(await issue()).not.toHaveProperty("totalsDop");
});

const totals = (subtotal: string, tax: string, grand_total: string) => ({ totals: { subtotal, tax, grand_total } });

describe("what the rules allow is accepted", () => {
	test.each(["31", "32", "33", "34", "41", "44"])("type %s with the canonical members alone", async (type) => {
		const noTax = type === "44" ? totals("4500.00", "0.00", "4500.00") : {};
		await issue({ type, ...noTax });
	});

	test.each(["32", "33", "34"])("type %s without a customer", (type) => issue({ type, customer: undefined }));

	test("a consumer invoice whose customer has a name only", () => issue({ type: "32", customer: { name: "ANA" } }));

	test.each([
		["4500.00", "810.00", "5310.00"],
		["4500.01", "810.00", "5310.01"],
		["4499.99", "810.00", "5309.99"],
		["4500", "810", "5310"],
		["4500.000000", "810.0", "5310.00"],
	])("totals %s + %s = %s for lines of 4500.00: rule 2 has a tolerance of 0.01, inclusive", (a, b, c) =>
		issue(totals(a, b, c)),
	);

	test("hyphens in taxpayer numbers", () => {
		const hyphened = `${tenant.rnc.slice(0, 1)}-${tenant.rnc.slice(1, 3)}-${tenant.rnc.slice(3)}`;
		return issue({ company: { rnc: hyphened, name: tenant.name }, customer: { rnc: "1-31-88068-1", name: "C" } });
	});

	test("every optional member", () =>
		issue({
			client_request_id: `all-${crypto.randomUUID()}`,
			issue_date: "2026-01-15",
			due_date: "2027-01-15",
			currency: "USD",
			exchange_rate: "58.50",
			income_type: "01",
			payment: { terms: "credit", forms: [{ method: 4, amount: "5310.00" }] },
			lines: [
				line({
					...{ tax_rate: "18", kind: "good", unit: "43", item_code: { type: "Interna", code: "CEM-1" } },
					...{ quantity: "10", unit_price: "455.00", discount: "100.00", surcharge: "50.00", subtotal: "4500.00" },
				}),
			],
			...{ branch: "Norte", pos: "7", seller: "Ana", order_number: "SO-9912", notes: "gracias" },
			...{ emails: ["compras@cliente.example"], metadata: { order: "SO-9912" } },
		}));

	test("half cents of several rates, which add up to less than they are rounded to", () => {
		const half = { quantity: "1", unit_price: "0.005", subtotal: "0.005" };
		const lines = ["18", "16", "0", "exempt"].map((tax_rate, i) => line({ ...half, line_number: i + 1, tax_rate }));
		return issue({ lines, totals: { subtotal: "0.02", tax: "0.00", grand_total: "0.02" } });
	});

	test("accents, emoji and markup in texts", async () => {
		const description = "Ñandú & <café> \"té\" 'x' \u{1f600} ]]>";
		const { docId } = await issue({ lines: [line({ description })] });
		const record = await (await get(service, `/v1/invoices/${docId}`, tenant.headers)).json();
		expect((record as { request: { lines: { description: string }[] } }).request.lines[0]?.description).toBe(
			description,
		);
	});

	test("texts as long as they may be, of characters that are two UTF-16 units each", async () => {
		const most = (length: number) => "\u{1f600}".repeat(length);
		const texts = { branch: most(60), pos: most(60), seller: most(60), order_number: most(60), notes: most(1_000) };
		const over = {
			client_request_id: `${crypto.randomUUID().slice(0, 30)}${most(34)}`,
			metadata: { [most(40)]: most(500) },
		};
		const { docId } = await issue({ ...texts, ...over, customer: { rnc: "131880681", name: most(150) } });
		expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "accepted" });
	});

	test("a thousand lines", async () => {
		const lines = Array.from({ length: 1_000 }, (_, i) =>
			line({ line_number: i + 1, quantity: "1", unit_price: "4.50", subtotal: "4.50" }),
		);
		await issue({ lines });
	});

	test.each([`E31${"0".repeat(7)}1`, `E31${"0".repeat(8)}1`])("an older number, %s, with a warning", async (encf) => {
		expect(await warningsOf({ encf })).toEqual(["/encf encf-length"]);
	});
});

describe("what looks wrong but is allowed is a warning", () => {
	test("an amount that is not quantity times price", async () => {
		expect(await warningsOf({ lines: [line({ quantity: "9" })] })).toEqual(["/lines/0/subtotal line-product"]);
	});

	test("a hundred at most, the last of which counts the omitted ones", async () => {
		const lines = Array.from({ length: 150 }, (_, i) => line({ line_number: i + 1, quantity: "9" }));
		const subtotal = "675000.00";
		const totals = { subtotal, tax: "121500.00", grand_total: "796500.00" };
		const { warnings } = await issue({ lines, totals });
		expect(warnings).toHaveLength(100);
		expect(warnings[98]).toMatchObject({ code: "line-product", pointer: "/lines/98/subtotal" });
		expect(warnings[99]).toMatchObject({ code: "more-warnings", detail: "51 more warnings were omitted." });
	});

	test("a note without reference", async () => {
		expect(await warningsOf({ type: "33" })).toContain("/reference reference-missing");
	});

	test("a customer whom the registry does not know", async () => {
		expect(await warningsOf({ customer: { rnc: "999999999", name: "NADIE" } })).toEqual([
			"/customer/rnc customer-unknown",
		]);
	});
});

describe("Prefer: wait", () => {
	const wait = (seconds: string, over: Record<string, unknown> = {}) =>
		postInvoice(service, tenant, buildInvoice(tenant, over), { prefer: `wait=${seconds}` });

	test("the verdict comes with the answer when it comes in time", async () => {
		const answer = await wait("10");
		expect(answer.status).toBe(202);
		expect(answer.headers.get("preference-applied")).toBe("wait=10");
		expect(await answer.json()).toMatchObject({
			status: "accepted",
			authority: { approvedAt: expect.stringMatching(instant), code: "1", sequenceConsumed: true, warnings: [] },
		});
	});

	test("a conditional acceptance is an acceptance with the authority's warnings", async () => {
		const answer = await wait("10", { customer: { rnc: "000000003", name: "CONDICIONAL" } });
		expect(answer.status).toBe(202);
		const body = (await answer.json()) as { status: string; authority: { code: string; warnings: unknown[] } };
		expect([body.status, body.authority.code, body.authority.warnings.length]).toEqual(["accepted", "4", 1]);
	});

	test("a preference that is none is passed over", async () => {
		for (const seconds of ["soon", "", "-1"]) {
			const answer = await wait(seconds);
			expect([answer.status, answer.headers.get("preference-applied")]).toEqual([202, null]);
		}
	});
});

test("every accepted document gets its verdict", async () => {
	const { docId } = await issue();
	expect(await untilDecided(service, tenant, docId)).toMatchObject({ status: "accepted" });
});
