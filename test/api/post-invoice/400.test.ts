/** Invalid requests: every violation is reported with its pointer. */
import { beforeAll, describe, expect, test } from "bun:test";
import { HOSTILE_DECIMALS } from "../../support/hostile-decimals";
import { buildInvoice, post, postInvoice, sharedService, type Tenant, type TestService } from "../../support/service";
import { expectProblem } from "../support/problem";
import { strictTenant, tenantA } from "../support/tenants";

let service: TestService;
let tenant: Tenant;
beforeAll(async () => {
	service = await sharedService();
	tenant = await tenantA();
});

type Over = Record<string, unknown>;
const send = (over: Over) => postInvoice(service, tenant, buildInvoice(tenant, over));
const refused = (over: Over, ...faults: string[]) => expectProblem(send(over), 400, "validation-error", faults);
const line = (over: Over = {}) => ({
	...{ line_number: 1, description: "Cemento", quantity: "10", unit_price: "450.00", subtotal: "4500.00" },
	...over,
});
const totals = { subtotal: "4500.00", tax: "810.00", grand_total: "5310.00" };

describe("Idempotency-Key", () => {
	const withKey = (key: string | undefined) =>
		post(
			service,
			"/v1/invoices",
			{ ...tenant.headers, ...(key === undefined ? {} : { "idempotency-key": key }) },
			buildInvoice(tenant),
		);

	test("is required", async () => {
		await expectProblem(withKey(undefined), 400, "validation-error", ["#/headers/idempotency-key required"]);
	});

	test.each([
		["no UUID", "abc"],
		["empty", ""],
		["version 1", "c232ab00-9414-11ec-b3c8-9f6bdeced846"],
		["version 7", "01920000-0000-7000-8000-000000000000"],
		["another variant", "5f0c2f9e-0d0f-4b43-cf0e-0a4b1a2c3d4e"],
		["without hyphens", "5f0c2f9e0d0f4b439f0e0a4b1a2c3d4e"],
		["in braces", "{5f0c2f9e-0d0f-4b43-9f0e-0a4b1a2c3d4e}"],
		["two", "5f0c2f9e-0d0f-4b43-9f0e-0a4b1a2c3d4e, 5f0c2f9e-0d0f-4b43-9f0e-0a4b1a2c3d4e"],
	])("is a UUID of version 4: %s is refused", async (_, key) => {
		await expectProblem(withKey(key), 400, "validation-error", ["#/headers/idempotency-key invalid-format"]);
	});
});

test("a body that is not JSON is malformed, under an old key as under a new one", async () => {
	const key = crypto.randomUUID();
	expect((await postInvoice(service, tenant, buildInvoice(tenant), { "idempotency-key": key })).status).toBe(202);
	await expectProblem(postInvoice(service, tenant, "{", { "idempotency-key": key }), 400, "malformed-json");
	await expectProblem(postInvoice(service, tenant, "{"), 400, "malformed-json");
});

describe("type", () => {
	test.each(["30", "35", "43", "45", "99", "", "fiscal", "31 ", "031"])("%p is unsupported", async (type) => {
		await expectProblem(send({ type, encf: "E310000000001" }), 400, "unsupported-ecf-type");
	});

	test("that is not text is an invalid request, not an unsupported type", async () => {
		for (const type of [31, null, ["31"], { type: "31" }, true]) {
			const problem = await expectProblem(send({ type }), 400, "validation-error");
			expect(problem.errors?.map((fault) => fault.pointer)).toEqual(["/type"]);
		}
		await refused({ type: undefined }, "/type required");
	});
});

test("every member that is missing is named, all at once", async () => {
	await expectProblem(postInvoice(service, tenant, {}), 400, "validation-error", [
		...["/type required", "/encf required", "/company required", "/lines required", "/totals required"],
	]);
	await refused(
		{ company: {}, customer: {}, lines: [{}], totals: {} },
		...["/company/rnc required", "/company/name required", "/customer/rnc required", "/customer/name required"],
		...["line_number", "description", "quantity", "unit_price", "subtotal"].map((m) => `/lines/0/${m} required`),
		...["/totals/subtotal required", "/totals/tax required", "/totals/grand_total required"],
	);
});

test.each([[null], [5], [true], ["x"], [[]], [[{}]]])("a document that is %j is not an object", async (body) => {
	const problem = await expectProblem(postInvoice(service, tenant, JSON.stringify(body)), 400, "validation-error");
	expect(problem.errors?.[0]).toMatchObject({ pointer: "", code: "wrong-type" });
});

test("violations of schema and rules are reported together", async () => {
	await refused(
		{ encf: "E320000000001", issue_date: "2099-12-31", company: { rnc: "12", name: "" }, surprise: 1 },
		"/encf encf-type-mismatch",
		"/issue_date future-date",
		"/company/rnc invalid-rnc",
		"/company/name too-short",
		"/surprise unknown-field",
	);
});

describe("members", () => {
	test.each<[string, Over, string]>([
		["a number without E", { encf: "A310000000001" }, "/encf encf-form"],
		["a number that is too short", { encf: "E310000001" }, "/encf encf-form"],
		["a number that is too long", { encf: "E3100000000001" }, "/encf encf-form"],
		["a number in small letters", { encf: "e310000000001" }, "/encf encf-form"],
		["a number of another type", { encf: "E320000000001" }, "/encf encf-type-mismatch"],
		["sequence zero", { encf: "E310000000000" }, "/encf encf-zero"],
		["encf as auto without sequences of ours", { encf: "auto" }, "/encf auto-not-enabled"],
		["encf null", { encf: null }, "/encf wrong-type"],
		["a client_request_id of 7", { client_request_id: "1234567" }, "/client_request_id too-short"],
		["a client_request_id of 65", { client_request_id: "x".repeat(65) }, "/client_request_id too-long"],
		["no lines", { lines: [] }, "/lines too-few"],
		["lines as an object", { lines: {} }, "/lines wrong-type"],
		["a description of 1001", { lines: [line({ description: "x".repeat(1_001) })] }, "/lines/0/description too-long"],
		["an empty description", { lines: [line({ description: "" })] }, "/lines/0/description too-short"],
		["quantity zero", { lines: [line({ quantity: "0.00" })] }, "/lines/0/quantity not-positive"],
		["line number zero", { lines: [line({ line_number: 0 })] }, "/lines/0/line_number too-small"],
		["a broken line number", { lines: [line({ line_number: 1.5 })] }, "/lines/0/line_number wrong-type"],
		["a line number as text", { lines: [line({ line_number: "1" })] }, "/lines/0/line_number wrong-type"],
		["a tax rate of the list's neighbour", { lines: [line({ tax_rate: "17" })] }, "/lines/0/tax_rate not-in-list"],
		["unit 63", { lines: [line({ unit: "63" })] }, "/lines/0/unit invalid-format"],
		["an amount as a number", { totals: { ...totals, tax: 810 } }, "/totals/tax decimal-must-be-string"],
		["a day that is none", { issue_date: "2026-02-30" }, "/issue_date invalid-date"],
		["a day in another order", { issue_date: "20-11-2026" }, "/issue_date invalid-date"],
		["credit without a due date", { payment: { terms: "credit" } }, "/due_date required"],
		["a currency without a rate", { currency: "USD" }, "/exchange_rate required"],
		["rate zero", { currency: "USD", exchange_rate: "0" }, "/exchange_rate not-positive"],
		["a currency of no country", { currency: "XXX" }, "/currency not-in-list"],
		["income type 07", { income_type: "07" }, "/income_type not-in-list"],
		[
			"payment method 9",
			{ payment: { terms: "cash", forms: [{ method: 9, amount: "1" }] } },
			"/payment/forms/0/method too-large",
		],
		[
			"a reference of code 6",
			{ type: "33", reference: { encf: "E310000000001", issue_date: "2026-01-01", code: 6 } },
			"/reference/code too-large",
		],
		["an address that is none", { emails: ["none"] }, "/emails/0 invalid-email"],
		["a branch of 61", { branch: "x".repeat(61) }, "/branch too-long"],
		["a metadata value of 501", { metadata: { a: "x".repeat(501) } }, "/metadata/a too-long"],
		["metadata that is no text", { metadata: { a: 1 } }, "/metadata/a wrong-type"],
		["an unknown member", { statuss: "x" }, "/statuss unknown-field"],
		["a member of the answer", { docId: "x" }, "/docId unknown-field"],
		["an unknown member in a line", { lines: [line({ colour: "grey" })] }, "/lines/0/colour unknown-field"],
		["__proto__", JSON.parse('{"__proto__":{"type":"31"}}') as Over, "/__proto__ unknown-field"],
		["a constructor", { constructor: { prototype: {} } }, "/constructor unknown-field"],
		["a fiscal credit without buyer", { customer: undefined }, "/customer required"],
	])("%s is refused", async (_, over, fault) => {
		const invoice = { ...buildInvoice(tenant, typeof over.type === "string" ? { type: over.type } : {}), ...over };
		await expectProblem(postInvoice(service, tenant, invoice), 400, "validation-error", [fault]);
	});

	test("a line number twice", () =>
		refused(
			{ lines: [line({ subtotal: "2250.00" }), line({ subtotal: "2250.00" })] },
			"/lines/1/line_number duplicate",
		));

	test("more metadata than twenty members, a name of 41", async () => {
		const metadata = Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`m${i}`, "x"]));
		await refused({ metadata }, "/metadata too-many");
		for (const one of ["x", "\u{1f600}"]) {
			const name = one.repeat(41);
			await refused({ metadata: { [name]: "y" } }, `/metadata/${name} unknown-field`);
		}
	});

	test("a thousand and one lines, where a note may have them", async () => {
		const lines = Array.from({ length: 1_001 }, (_, i) =>
			line({ line_number: i + 1, quantity: "1", unit_price: "4.50", subtotal: "4.50" }),
		);
		const sums = { subtotal: "4504.50", tax: "810.81", grand_total: "5315.31" };
		await refused({ lines, totals: sums }, "/lines too-many");
		expect((await send({ type: "34", lines, totals: sums })).status).toBe(202);
	});

	test("a consumer invoice of 250,000 names its buyer", async () => {
		const big = {
			type: "32",
			customer: undefined,
			lines: [line({ quantity: "1", unit_price: "250000.00", subtotal: "250000.00", tax_rate: "exempt" })],
			totals: { subtotal: "250000.00", tax: "0.00", grand_total: "250000.00" },
		};
		await refused(big, "/customer/rnc buyer-required", "/customer/name buyer-required");
	});

	test("special regime has no tax", () => refused({ type: "44" }, "/totals/tax tax-not-allowed-for-type"));
});

test("an older body is refused with the new name of each member", async () => {
	const legacy = {
		...{ tenantId: "0192f0a1-b2c3-7d4e-8f00-112233445566", ecfType: "31", encf: "E310000000001" },
		...{ issueDate: "2026-01-01", buyer: { rnc: "131880681", name: "C" } },
		lines: [{ description: "C", qty: 1, unitPrice: 1, taxRate: 18 }],
		...{ subtotal: 1, tax: 0.18, grandTotal: 1.18 },
	};
	const { errors = [] } = await expectProblem(postInvoice(service, tenant, legacy), 400, "validation-error");
	expect(Object.fromEntries(errors.filter((e) => e.code === "legacy-field").map((e) => [e.pointer, e.use]))).toEqual({
		"/ecfType": "/type",
		"/issueDate": "/issue_date",
		"/buyer": "/customer",
		"/subtotal": "/totals/subtotal",
		"/tax": "/totals/tax",
		"/grandTotal": "/totals/grand_total",
		"/lines/0/qty": "/lines/0/quantity",
		"/lines/0/unitPrice": "/lines/0/unit_price",
		"/lines/0/taxRate": "/lines/0/tax_rate",
	});
	expect(errors.find((e) => e.pointer === "/tenantId")).toMatchObject({ code: "not-accepted" });
});

describe("in strict mode", () => {
	test.each<[string, Over, string]>([
		["line-product", { lines: [line({ quantity: "9" })] }, "/lines/0/subtotal line-product"],
		["customer-unknown", { customer: { rnc: "999999999", name: "NADIE" } }, "/customer/rnc customer-unknown"],
		["encf-length", { encf: "E3100000001" }, "/encf encf-length"],
	])("the warning %s is a fault", async (_, over, fault) => {
		const strict = await strictTenant();
		await expectProblem(postInvoice(service, strict, buildInvoice(strict, over)), 400, "validation-error", [fault]);
	});
});

describe("decimals", () => {
	const places = ["quantity", "unit_price", "subtotal", "discount", "surcharge"];

	/** One request a text: each of its lines has the text in another member; a text of a mebibyte has each request alone. */
	function hostileInvoices(text: string): { over: Over; pointers: string[] }[] {
		const lines = places.map((place, i) => ({
			pointer: `/lines/${i}/${place}`,
			value: line({ line_number: i + 1, [place]: text }),
		}));
		const sums = { subtotal: text, tax: text, grand_total: text };
		const pointers = ["/totals/subtotal", "/totals/tax", "/totals/grand_total", "/exchange_rate"];
		if (text.length < 10_000) {
			const over = { lines: lines.map((one) => one.value), totals: sums, exchange_rate: text };
			return [{ over, pointers: [...lines.map((one) => one.pointer), ...pointers] }];
		}
		return [
			{ over: { lines: [line({ quantity: text })] }, pointers: ["/lines/0/quantity"] },
			{ over: { totals: { ...totals, tax: text } }, pointers: ["/totals/tax"] },
		];
	}

	test("no hostile text is taken for an amount, in any member", async () => {
		expect(new Set(HOSTILE_DECIMALS).size).toBeGreaterThanOrEqual(60);
		// An empty optional amount counts as absent.
		for (const text of HOSTILE_DECIMALS.filter((one) => one !== "")) {
			for (const { over, pointers } of hostileInvoices(text)) {
				const { errors = [] } = await expectProblem(send(over), 400, "validation-error");
				const found = new Set(errors.map((fault) => fault.pointer));
				const silent = pointers.filter((pointer) => !found.has(pointer));
				expect({ text: text.slice(0, 40), silent }).toEqual({ text: text.slice(0, 40), silent: [] });
			}
		}
	}, 120_000);

	test.each([[null], [5], [5.5], [-1], [true], [[]], [["5"]], [{}]])("%j is no amount", async (value) => {
		const { errors = [] } = await expectProblem(send({ totals: { ...totals, tax: value } }), 400, "validation-error");
		expect(errors.map((fault) => fault.pointer)).toEqual(["/totals/tax"]);
	});

	test("nothing of what was refused is repeated in the answer", async () => {
		const answer = await send({ customer: { rnc: "secret-of-ana", name: "Ana" }, notes: 5, seller: { pin: "4711" } });
		const text = await answer.text();
		expect(text).not.toContain("secret-of-ana");
		expect(text).not.toContain("4711");
	});
});
