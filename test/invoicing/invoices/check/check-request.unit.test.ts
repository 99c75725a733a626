import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { CURRENCIES, ECF_TYPES, EXAMPLE_INVOICE } from "../../../../src/ecf/mapping";
import { checkPlanEarly } from "../../../../src/invoicing/invoices/check/check-plan-early";
import { checkRequest } from "../../../../src/invoicing/invoices/check/check-request";
import { msg } from "../../../../src/platform/problem";
import { HOSTILE_DECIMALS } from "../../../support/hostile-decimals";
import { type Body, faultsOf, makeRequest, NOW, problemOf, setAt } from "../support/request";

const base = makeRequest();

/** Lines of 1.00 each, with totals that fit. */
function withLines(count: number, type = "31"): Body {
	const lines = Array.from({ length: count }, (_, i) => ({
		line_number: i + 1,
		description: "x",
		quantity: "1",
		unit_price: "1",
		subtotal: "1",
	}));
	return makeRequest(type, { lines, totals: { subtotal: `${count}`, tax: "0", grand_total: `${count}` } });
}

/** Each change alone, and the faults that it makes. */
function expectFaults(changes: readonly (readonly [string, unknown, ...string[]])[], body = base): void {
	for (const [pointer, value, ...faults] of changes) {
		const shown = JSON.stringify(value)?.slice(0, 80);
		expect([pointer, shown, faultsOf(setAt(body, pointer, value))]).toEqual([pointer, shown, faults.toSorted()]);
	}
}

describe("a request with only the canonical members", () => {
	test("is complete for every type", () => {
		for (const type of ECF_TYPES) expect([type, faultsOf(makeRequest(type))]).toEqual([type, []]);
		expect(faultsOf(structuredClone(EXAMPLE_INVOICE))).toEqual([]);
	});

	test("comes back as it was sent", () => {
		const body = makeRequest();
		const sent = structuredClone(body);
		expect(checkRequest(body, NOW)).toEqual(sent as never);
	});

	test("may have empty texts for optional members, which count as absent", () => {
		const body = makeRequest("32", { customer: { rnc: "", name: "" }, branch: "", pos: "" });
		for (const line of body.lines as Record<string, unknown>[]) line.unit = "";
		const { customer, branch, pos, lines } = checkRequest(body, NOW);
		expect([customer, branch, pos, lines[0] && "unit" in lines[0]]).toEqual([undefined, undefined, undefined, false]);
		expect(checkRequest(makeRequest("32", { customer: { rnc: "", name: "ANA" } }), NOW).customer).toEqual({
			name: "ANA",
		});
	});

	test("must not have empty texts for what it requires", () => {
		expectFaults([
			["/encf", "", "/encf encf-form"],
			["/lines/0/description", "", "/lines/0/description too-short"],
		]);
	});

	test("with a negative amount learns how to state a reduction", () => {
		expectFaults([["/lines/0/subtotal", "-5.00", "/lines/0/subtotal decimal-form"]]);
		const [fault] = problemOf(setAt(base, "/lines/0/subtotal", "-5.00"))?.faults ?? [];
		expect([fault?.use, String(fault?.detail)]).toEqual(["/adjustments", expect.stringContaining("`adjustments`")]);
	});

	test("may carry every optional member at once", () => {
		const line = {
			...{ line_number: 7, description: "x", quantity: "2", unit_price: "50", subtotal: "100" },
			...{ tax_rate: "18", kind: "service", unit: "62", item_code: [{ type: "Interna", code: "A-1" }] },
			...{ discount: "1.00", surcharge: "1.00", withholding: { itbis: "0", isr: "0" } },
			additional_taxes: [
				{ code: "001", rate: "10", amount: "10.00" },
				{ code: "039", amount: "1" },
			],
		};
		const body = makeRequest("34", {
			client_request_id: "POS7-2026-11-20-000123",
			lines: [line],
			totals: { subtotal: "100.00", tax: "18.00", grand_total: "118" },
			...{
				issue_date: "2026-11-20",
				due_date: "2026-12-20",
				currency: "USD",
				exchange_rate: "58.75",
				income_type: "06",
			},
			payment: {
				terms: "credit",
				forms: [
					{ method: 1, amount: "100" },
					{ method: 8, amount: "18" },
				],
			},
			reference: {
				encf: "E310000000001",
				issue_date: "2026-10-01",
				code: 3,
				reason: "Precio",
				customer_rnc: "101010101",
			},
			adjustments: [
				{ kind: "discount", description: "x", amount: "1" },
				{ kind: "surcharge", description: "x", percent: "1", tax_rate: "exempt" },
			],
			...{ branch: "Norte", pos: "7", seller: "Ana", order_number: "SO-1", notes: "línea 1\nlínea 2" },
			...{ emails: ["a@b"], metadata: { order: "SO-9912", "con espacio": "" } },
		});
		expect(faultsOf(body)).toEqual([]);
	});
});

describe("the type", () => {
	test("that is a text instead of an object is reported first", () => {
		for (const type of ["45", "43", "", "031", "31 ", "invoice"]) {
			const problem = problemOf({ type, nonsense: 1, lines: 5 });
			expect([type, problem?.slug, problem?.status]).toEqual([type, "unsupported-ecf-type", 400]);
			expect(String(problem?.detail)).toBe("Send one of 31, 32, 33, 34, 41, 44 as type.");
		}
	});

	test("that is no text, or missing, is one fault among others", () => {
		for (const type of [31, null, true, ["31"], { value: "31" }]) {
			expect(problemOf(setAt(base, "/type", type))?.slug).toBe("validation-error");
			expect(faultsOf(setAt(base, "/type", type))).toEqual(["/type not-in-list"]);
		}
		expect(faultsOf(setAt(base, "/type", undefined))).toEqual(["/type required"]);
	});

	test("is looked for only where the request itself says it", () => {
		const inherits = JSON.parse('{"__proto__":{"type":"45"}}') as unknown;
		expect(problemOf(inherits)?.slug).toBe("validation-error");
	});
});

test("a body that is no object is a validation error at its root", () => {
	for (const body of [null, [], [base], "text", 5, true]) {
		expect(problemOf(body)?.slug).toBe("validation-error");
		expect(faultsOf(body)).toContain(" wrong-type");
	}
});

test("an empty object gets all missing members reported", () => {
	expect(faultsOf({})).toEqual([
		"/company required",
		"/encf required",
		"/lines required",
		"/totals required",
		"/type required",
	]);
});

describe("members", () => {
	test("that are required are named when they are missing", () => {
		for (const pointer of [
			...[
				"/encf",
				"/company",
				"/company/rnc",
				"/company/name",
				"/customer",
				"/customer/rnc",
				"/customer/name",
				"/lines",
				"/totals",
			],
			...["/totals/subtotal", "/totals/tax", "/totals/grand_total", "/lines/0/line_number", "/lines/1/description"],
			...["/lines/0/quantity", "/lines/0/unit_price", "/lines/1/subtotal"],
		]) {
			expect(faultsOf(setAt(base, pointer, undefined))).toEqual([`${pointer} required`]);
		}
	});

	test("that are unknown are refused at every depth, with an escaped pointer", () => {
		expectFaults([
			["/colour", "red", "/colour unknown-field"],
			["/company/phone", "x", "/company/phone unknown-field"],
			["/customer/fax", "x", "/customer/fax unknown-field"],
			["/lines/1/colour", null, "/lines/1/colour unknown-field"],
			["/totals/discount", "0", "/totals/discount unknown-field"],
			["/constructor", "x", "/constructor unknown-field"],
			["/lines/0/constructor", "x", "/lines/0/constructor unknown-field"],
			["/lines/0/toString", "x", "/lines/0/toString unknown-field"],
		]);
		expect(faultsOf({ ...base, "a/b~c": 1 })).toEqual(["/a~1b~0c unknown-field"]);
		expect(faultsOf({ ...base, ...(JSON.parse('{"x":1}') as Body) })).toEqual(["/x unknown-field"]);
	});

	test("of the older form are reported with their canonical name", () => {
		const older = {
			ecfType: "31",
			issueDate: "2026-11-20",
			buyer: {},
			subtotal: "1",
			tax: "1",
			grandTotal: "2",
			tenantId: "x",
		};
		const faults = problemOf({ ...base, ...older })?.faults ?? [];
		expect(faults.map(({ pointer, code, use }) => [pointer, code, use])).toEqual([
			["/ecfType", "legacy-field", "/type"],
			["/issueDate", "legacy-field", "/issue_date"],
			["/buyer", "legacy-field", "/customer"],
			["/subtotal", "legacy-field", "/totals/subtotal"],
			["/tax", "legacy-field", "/totals/tax"],
			["/grandTotal", "legacy-field", "/totals/grand_total"],
			["/tenantId", "not-accepted", undefined],
		]);
		const line = { qty: "1", unitPrice: "1", taxRate: "18" };
		expect(
			problemOf({ ...base, lines: [line] })
				?.faults.filter(({ code }) => code === "legacy-field")
				.map(({ use }) => use),
		).toEqual(["/lines/0/quantity", "/lines/0/unit_price", "/lines/0/tax_rate"]);
	});

	test("have their limits, on both sides", () => {
		const long = (length: number) => "x".repeat(length);
		expectFaults([
			["/client_request_id", long(8)],
			["/client_request_id", long(64)],
			["/client_request_id", "con espacios y ñ"],
			["/client_request_id", long(7), "/client_request_id too-short"],
			["/client_request_id", long(65), "/client_request_id too-long"],
			["/client_request_id", "😀".repeat(64)],
			["/client_request_id", "😀".repeat(7), "/client_request_id too-short"],
			["/client_request_id", "12345678\n", "/client_request_id invalid-format"],
			["/client_request_id", "12345678\u0085", "/client_request_id invalid-format"],
			["/client_request_id", 12345678, "/client_request_id wrong-type"],
			["/client_request_id", null, "/client_request_id wrong-type"],
			["/company/name", "", "/company/name too-short"],
			["/company/name", long(150)],
			["/company/name", long(151), "/company/name too-long"],
			["/customer/name", long(151), "/customer/name too-long"],
			["/lines/0/description", "", "/lines/0/description too-short"],
			["/lines/0/description", long(1_000)],
			["/lines/0/description", long(1_001), "/lines/0/description too-long"],
			["/notes", long(1_000)],
			["/notes", long(1_001), "/notes too-long"],
			// Also beyond the limit for all texts, which is not reported in addition.
			["/notes", long(4_001), "/notes too-long"],
			["/branch", long(61), "/branch too-long"],
			["/pos", long(61), "/pos too-long"],
			["/seller", long(61), "/seller too-long"],
			["/seller", "😀".repeat(60)],
			["/seller", "😀".repeat(61), "/seller too-long"],
			["/order_number", long(61), "/order_number too-long"],
			["/emails", Array(10).fill("a@b.do")],
			["/emails", Array(11).fill("a@b.do"), "/emails too-many"],
			["/emails", ["a@b.do", "no-address"], "/emails/1 invalid-email"],
			["/metadata", Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`k${i}`, "v"]))],
			["/metadata", Object.fromEntries(Array.from({ length: 21 }, (_, i) => [`k${i}`, "v"])), "/metadata too-many"],
			["/metadata", { [long(40)]: long(500) }],
			["/metadata", { [long(41)]: "v" }, `/metadata/${long(41)} unknown-field`],
			["/metadata", { k: long(501) }, "/metadata/k too-long"],
			["/metadata", { k: 5 }, "/metadata/k wrong-type"],
		]);
	});

	test("are one of a list where the authority has one", () => {
		expectFaults([
			["/income_type", "06"],
			["/income_type", "07", "/income_type not-in-list"],
			["/lines/0/tax_rate", "16"],
			["/lines/0/tax_rate", "17", "/lines/0/tax_rate not-in-list"],
			["/lines/0/tax_rate", 18, "/lines/0/tax_rate not-in-list"],
			["/lines/0/kind", "goods", "/lines/0/kind not-in-list"],
			["/lines/0/unit", "62"],
			["/lines/0/unit", "63", "/lines/0/unit invalid-format"],
			["/lines/0/unit", "01", "/lines/0/unit invalid-format"],
			["/payment", { terms: "later" }, "/payment/terms not-in-list"],
			["/payment", { terms: "cash", forms: [{ method: 9, amount: "1" }] }, "/payment/forms/0/method too-large"],
			["/payment", { terms: "cash", forms: Array(8).fill({ method: 1, amount: "1" }) }, "/payment/forms too-many"],
			["/adjustments", [{ kind: "gift", description: "x", amount: "1" }], "/adjustments/0/kind not-in-list"],
			["/adjustments", Array(21).fill({ kind: "discount", description: "x", amount: "1" }), "/adjustments too-many"],
			["/adjustments", [{ kind: "discount", description: "x" }], "/adjustments/0 required"],
			["/lines/0/item_code", Array(6).fill({ type: "x", code: "y" }), "/lines/0/item_code too-many"],
			["/lines/0/additional_taxes", Array(3).fill({ code: "001", amount: "1" }), "/lines/0/additional_taxes too-many"],
			["/lines/0/additional_taxes", [{ code: "040", amount: "1" }], "/lines/0/additional_taxes/0/code invalid-format"],
			["/lines/0/withholding", { itbis: "0" }, "/lines/0/withholding/isr required"],
		]);
	});

	test("whose text no XML document could hold are refused, in names and values", () => {
		expectFaults([
			["/company/name", "A\u0000B", "/company/name illegal-character"],
			["/lines/1/description", "\ud83e", "/lines/1/description illegal-character"],
			["/notes", "\uffff", "/notes illegal-character"],
			["/metadata", { "a\u0001": "x" }, "/metadata illegal-character"],
		]);
	});
});

describe("the number", () => {
	test("has E, two digits of the type and eight to ten digits of sequence", () => {
		expectFaults([
			["/encf", "E3100000001"],
			["/encf", "E31000000001"],
			["/encf", "E319999999999"],
			["/encf", "E310000001", "/encf encf-form"],
			["/encf", "E3100000000001", "/encf encf-form"],
			["/encf", "e310000000001", "/encf encf-form"],
			["/encf", "B0100000001", "/encf encf-form"],
			["/encf", "E31000000000A", "/encf encf-form"],
			["/encf", " E310000000001", "/encf encf-form"],
			["/encf", "E310000000001\n", "/encf encf-form"],
			["/encf", "auto"],
			["/encf", "AUTO", "/encf encf-form"],
			["/encf", 310000000001, "/encf wrong-type"],
			["/encf", "E320000000001", "/encf encf-type-mismatch"],
			["/encf", "E310000000000", "/encf encf-zero"],
			["/encf", "E320000000000", "/encf encf-type-mismatch", "/encf encf-zero"],
		]);
	});
});

describe("parties", () => {
	test("have an RNC of nine or eleven digits, hyphens allowed", () => {
		expectFaults([
			["/company/rnc", "1-31-88068-1"],
			["/customer/rnc", "001-1234567-8"],
			["/company/rnc", "13188068", "/company/rnc invalid-rnc"],
			["/company/rnc", "13188068A", "/company/rnc invalid-rnc"],
			["/customer/rnc", "1010101010", "/customer/rnc invalid-rnc"],
			["/customer/rnc", 101010101, "/customer/rnc wrong-type"],
			["/company/rnc", "", "/company/rnc invalid-rnc", "/company/rnc too-short"],
		]);
	});

	test("include number and name of the buyer for types 31, 41 and 44 only", () => {
		for (const type of ECF_TYPES) {
			const isNeeded = ["31", "41", "44"].includes(type);
			const change = type === "44" ? { totals: { subtotal: "4800.00", tax: "0.00", grand_total: "4800.00" } } : {};
			for (const [customer, ...faults] of [
				[undefined, "/customer required"],
				[{ name: "ANA" }, "/customer/rnc required"],
				[{ rnc: "101010101" }, "/customer/name required"],
			] as const) {
				const body = setAt(makeRequest(type, change), "/customer", customer);
				expect([type, customer, faultsOf(body)]).toEqual([type, customer, isNeeded ? faults : []]);
			}
			expect(faultsOf(setAt(makeRequest(type, change), "/customer", {}))).toEqual(
				isNeeded ? ["/customer/name required", "/customer/rnc required"] : ["/customer required"],
			);
			expect(faultsOf(setAt(makeRequest(type, change), "/customer", null))).toEqual(["/customer wrong-type"]);
		}
	});
});

describe("lines", () => {
	test("are at least one", () => {
		expect(faultsOf(setAt(base, "/lines", []))).toEqual(["/lines too-few"]);
	});

	test("are at most 1,000, and 10,000 of a note or a small consumer invoice", () => {
		for (const type of ["31", "41", "44"]) {
			expect([type, problemOf(withLines(1_000, type))]).toEqual([type, undefined]);
			expect([type, faultsOf(withLines(1_001, type))]).toEqual([type, ["/lines too-many"]]);
		}
		for (const type of ["32", "33", "34"]) {
			expect([type, problemOf(withLines(10_000, type))]).toEqual([type, undefined]);
			expect([type, faultsOf(withLines(10_001, type))]).toEqual([type, ["/lines too-many"]]);
		}
		const large = setAt(setAt(withLines(1_001, "32"), "/totals/grand_total", "250000.00"), "/customer", undefined);
		expect(faultsOf(large)).toContain("/lines too-many");
	}, 120_000);

	test("have numbers from 1 that appear once; each later one is named", () => {
		expectFaults([
			["/lines/1/line_number", 1, "/lines/1/line_number duplicate"],
			["/lines/0/line_number", 0, "/lines/0/line_number too-small"],
			["/lines/0/line_number", -1, "/lines/0/line_number too-small"],
			["/lines/0/line_number", 1.5, "/lines/0/line_number wrong-type"],
			["/lines/0/line_number", "1", "/lines/0/line_number wrong-type"],
			["/lines/0/line_number", 500],
		]);
		const three = withLines(3);
		expect(faultsOf(setAt(setAt(three, "/lines/1/line_number", 1), "/lines/2/line_number", 1))).toEqual([
			"/lines/1/line_number duplicate",
			"/lines/2/line_number duplicate",
		]);
	});

	test("have a quantity above zero, and may cost nothing", () => {
		expectFaults([
			["/lines/0/quantity", "0", "/lines/0/quantity not-positive"],
			["/lines/0/quantity", "0.000000", "/lines/0/quantity not-positive"],
			["/lines/0/quantity", "0.01"],
			["/lines/0/unit_price", "0"],
		]);
	});
});

describe("decimals", () => {
	const places = [
		"/lines/0/quantity",
		"/lines/0/unit_price",
		"/lines/0/subtotal",
		"/totals/subtotal",
		"/totals/tax",
		"/totals/grand_total",
	];

	test("sixty hostile texts are refused in each of the six places, with one fault", () => {
		for (const pointer of places) {
			for (const hostile of HOSTILE_DECIMALS) {
				const faults = faultsOf(setAt(base, pointer, hostile));
				const text = hostile.slice(0, 30);
				expect([
					text,
					faults.filter(
						(fault) =>
							fault === `${pointer} decimal-form` ||
							fault === `${pointer} illegal-character` ||
							fault === `${pointer} too-long`,
					).length > 0,
				]).toEqual([text, true]);
				expect([text, faults.every((fault) => fault.startsWith(`${pointer} `))]).toEqual([text, true]);
			}
		}
	});

	test("a JSON number is refused with the form to send", () => {
		for (const pointer of places) {
			for (const value of [5, 5.5, 0, -1, 1e21]) {
				const [fault] = problemOf(setAt(base, pointer, value))?.faults ?? [];
				expect(fault).toEqual({
					pointer,
					code: "decimal-must-be-string",
					detail: msg`Send "${value}" instead of ${value}.`,
					received: "number",
				});
			}
			for (const value of [null, true, [], {}, ["5"]])
				expect(faultsOf(setAt(base, pointer, value))).toEqual([`${pointer} wrong-type`]);
		}
	});

	test("all violations are reported at once", () => {
		const body = places.reduce((changed, pointer) => setAt(changed, pointer, "1e2"), base);
		expect(faultsOf(body)).toEqual(places.map((pointer) => `${pointer} decimal-form`).toSorted());
		expect(String(problemOf(body)?.detail)).toBe("6 fields are invalid.");
	});

	test("equal amounts are equal whatever their zeros", () => {
		expect(faultsOf({ ...base, totals: { subtotal: "4800", tax: "864.0", grand_total: "5664.000000" } })).toEqual([]);
	});
});

describe("dates", () => {
	test("are days of the calendar, written as one writes them here", () => {
		expectFaults([
			["/issue_date", "2026-11-20"],
			["/issue_date", "2026-02-30", "/issue_date invalid-date"],
			["/issue_date", "2026-13-01", "/issue_date invalid-date"],
			["/issue_date", "20-11-2026", "/issue_date invalid-date"],
			["/issue_date", "2026-11-20T00:00:00Z", "/issue_date invalid-date"],
			["/issue_date", 20261120, "/issue_date wrong-type"],
			["/due_date", "2026-02-29", "/due_date invalid-date"],
			["/due_date", "2100-01-01", "/due_date invalid-date"],
			["/due_date", "9999-12-31", "/due_date invalid-date"],
		]);
	});

	test("of issue are not after today, and today ends at 04:00 UTC", () => {
		const dated = (date: string) => setAt(base, "/issue_date", date);
		const [before, after] = [new Date("2026-11-21T03:59:59.999Z"), new Date("2026-11-21T04:00:00Z")];
		expect(faultsOf(dated("2026-11-20"), before)).toEqual([]);
		expect(faultsOf(dated("2026-11-21"), before)).toEqual(["/issue_date future-date"]);
		expect(faultsOf(dated("2026-11-21"), after)).toEqual([]);
		expect(faultsOf(dated("2026-11-22"), after)).toEqual(["/issue_date future-date"]);
		expect(faultsOf(dated("2027-01-01"), new Date("2027-01-01T03:59:59Z"))).toEqual(["/issue_date future-date"]);
		expect(faultsOf(dated("2027-01-01"), new Date("2027-01-01T04:00:00Z"))).toEqual([]);
	});

	test("of payment are not before issue, and credit needs one", () => {
		expectFaults([
			["/due_date", "2026-11-20"],
			["/due_date", "2030-01-01"],
			["/due_date", "2026-11-19", "/due_date before-issue-date"],
			["/payment", { terms: "credit" }, "/due_date required"],
			["/payment", { terms: "cash" }],
			["/payment", { terms: "free" }],
		]);
		expect(faultsOf({ ...base, payment: { terms: "credit" }, due_date: "2026-12-01" })).toEqual([]);
		expect(faultsOf({ ...base, issue_date: "2026-11-01", due_date: "2026-11-02" })).toEqual([]);
	});

	test("of a document that a note modifies are not after the note", () => {
		const note = makeRequest("34", {
			issue_date: "2026-11-19",
			reference: { encf: "E310000000001", issue_date: "2026-11-19", code: 1 },
		});
		expectFaults(
			[
				["/reference/issue_date", "2026-11-19"],
				["/reference/issue_date", "2026-11-20", "/reference/issue_date future-date"],
				["/reference/issue_date", "2026-02-30", "/reference/issue_date invalid-date"],
				["/reference/code", 0, "/reference/code too-small"],
				["/reference/code", 6, "/reference/code too-large"],
				["/reference/code", "1", "/reference/code wrong-type"],
				["/reference/encf", "short", "/reference/encf too-short"],
				["/reference/encf", "e310000000001", "/reference/encf invalid-format"],
				["/reference/reason", "x".repeat(91), "/reference/reason too-long"],
			],
			note,
		);
	});
});

describe("money", () => {
	test("is in one of the authority's currencies, and a foreign one has its rate", () => {
		for (const currency of CURRENCIES) {
			expect([currency, faultsOf({ ...base, currency, exchange_rate: "58.75" })]).toEqual([currency, []]);
			expect([currency, faultsOf({ ...base, currency })]).toEqual([
				currency,
				currency === "DOP" ? [] : ["/exchange_rate required"],
			]);
		}
		expectFaults([
			["/currency", "CNY", "/exchange_rate required"],
			["/currency", "CHY", "/exchange_rate required"],
			["/currency", "XXX", "/currency not-in-list"],
			["/currency", "usd", "/currency not-in-list"],
		]);
		expect(faultsOf({ ...base, currency: "USD", exchange_rate: "0.00" })).toEqual(["/exchange_rate not-positive"]);
		expect(faultsOf({ ...base, currency: "USD", exchange_rate: 58 })).toEqual([
			"/exchange_rate decimal-must-be-string",
		]);
	});
});

describe("all faults at once", () => {
	test("violations of form and of rules are reported together", () => {
		const body = {
			...makeRequest("31", {
				encf: "E320000000000",
				issue_date: "2026-11-21",
				due_date: "2026-02-30",
				currency: "EUR",
			}),
			company: { rnc: "1" },
			customer: { name: 5 },
			lines: [
				{ line_number: 1, description: "", quantity: "0", unit_price: 5, subtotal: "1e2" },
				{ line_number: 1, qty: "1" },
			],
			totals: { subtotal: "x" },
			payment: { terms: "credit" },
			colour: "red",
		};
		expect(faultsOf(body)).toEqual(
			[
				"/colour unknown-field",
				"/company/name required",
				"/company/rnc invalid-rnc",
				"/customer/name wrong-type",
				"/customer/rnc required",
				"/due_date invalid-date",
				"/encf encf-type-mismatch",
				"/encf encf-zero",
				"/exchange_rate required",
				"/issue_date future-date",
				"/lines/0/description too-short",
				"/lines/0/quantity not-positive",
				"/lines/0/subtotal decimal-form",
				"/lines/0/unit_price decimal-must-be-string",
				"/lines/1/description required",
				"/lines/1/line_number duplicate",
				"/lines/1/qty legacy-field",
				"/lines/1/quantity required",
				"/lines/1/subtotal required",
				"/lines/1/unit_price required",
				"/totals/grand_total required",
				"/totals/subtotal decimal-form",
				"/totals/tax required",
			].toSorted(),
		);
	});

	test("violations that only the plan finds are reported with those of form", () => {
		const line = { line_number: 1, description: "x", quantity: "1", unit_price: "100", subtotal: "100" };
		const body = makeRequest("31", {
			lines: [
				{ ...line, description: "\u00a0", additional_taxes: [{ code: "006", amount: "1" }] },
				{ ...line, line_number: 2, quantity: "0.001", colour: "red" },
				{ ...line, line_number: 3, additional_taxes: [{ code: "001", rate: "1000", amount: "10" }], unit: "63" },
			],
			totals: { subtotal: "300", tax: "54", grand_total: "354" },
			...{ currency: "USD", exchange_rate: "1000", issue_date: "2026-11-21" },
			adjustments: [{ kind: "discount", description: "x", percent: "0" }],
			reference: { encf: "E310000000002", issue_date: "2026-01-01", code: 1, reason: "" },
		});
		const ahead = [
			"/adjustments/0/percent rate-out-of-range",
			"/exchange_rate exchange-rate-out-of-range",
			"/lines/0/additional_taxes/0/rate additional-tax-rate-required",
			"/lines/0/description description-empty",
			"/lines/1/quantity quantity-zero",
			"/lines/2/additional_taxes/0/rate rate-out-of-range",
			"/reference/code reference-not-allowed-for-type",
		];
		const ofForm = ["/issue_date future-date", "/lines/1/colour unknown-field", "/lines/2/unit invalid-format"];
		expect(faultsOf(body)).toEqual([...ahead, ...ofForm].toSorted());
	});

	test("nothing is planned if the report is already full", () => {
		const special = makeRequest("44");
		const result = Array.from({ length: 100 }, (_, i) => ({
			pointer: `/lines/${i}/unit`,
			code: "invalid-format",
			detail: msg``,
		}));
		const codes = (faults: typeof result) => checkPlanEarly(special, faults, NOW).map(({ code }) => code);
		expect(codes(result.slice(1))).toEqual(["tax-not-allowed-for-type"]);
		expect(codes(result)).toEqual([]);
	});

	test("a text of the wrong form is reported with the expected form", () => {
		const line = { line_number: 1, description: "x", quantity: "1", unit_price: "1", subtotal: "1" };
		const body = makeRequest("31", {
			lines: [{ ...line, unit: "63", additional_taxes: [{ code: "040", amount: "1" }] }],
			reference: { encf: "e310000000001", issue_date: "2026-01-01", code: 4, customer_rnc: "9-90-00000-3" },
			client_request_id: "POS7\u00852026-11",
			emails: ["compras"],
		});
		expect(problemOf(body)?.faults.map(({ pointer, detail }) => `${pointer} ${detail}`)).toEqual([
			"/client_request_id Contains a control character.",
			'/lines/0/unit Send a code of the authority\'s unit table, "1" to "62".',
			'/lines/0/additional_taxes/0/code Send a code of the authority\'s table of taxes, "001" to "039".',
			"/reference/encf Send the fiscal number as printed: a capital letter, then 10 to 18 digits or capital letters.",
			"/reference/customer_rnc Send 9 or 11 digits, without hyphens.",
			"/emails/0 Is not an e-mail address.",
		]);
	});

	test("a member is reported once", () => {
		expectFaults(
			[
				["/customer", undefined, "/customer required", "/colour unknown-field"],
				["/customer/rnc", "12", "/customer/rnc invalid-rnc", "/colour unknown-field"],
				["/lines/0/quantity", "0", "/lines/0/quantity not-positive", "/colour unknown-field"],
				["/lines/0/description", "\u0000", "/lines/0/description illegal-character", "/colour unknown-field"],
				["/exchange_rate", "0", "/exchange_rate not-positive", "/colour unknown-field"],
			],
			{ ...base, colour: "red" },
		);
	});

	test("discounts above the lines are reported if all lines are valid", () => {
		const discounted = setAt(base, "/adjustments", [
			{ kind: "discount", description: "x", amount: "1000", tax_rate: "16" },
		]);
		const totals = { subtotal: "3800.00", tax: "864.00", grand_total: "4664.00" };
		const body = { ...discounted, totals, colour: "red" };
		expect(faultsOf(body)).toEqual(["/adjustments adjustment-exceeds-base", "/colour unknown-field"]);
		expect(faultsOf(setAt(body, "/lines/1/subtotal", "x"))).toEqual([
			"/colour unknown-field",
			"/lines/1/subtotal decimal-form",
		]);
		expect(faultsOf(setAt(body, "/totals/subtotal", "1"))).toEqual(["/colour unknown-field"]);
	});

	test("a missing buyer and forbidden tax are reported with other violations", () => {
		const large = makeRequest("32", {
			totals: { subtotal: "1", tax: "x", grand_total: "250000" },
			customer: undefined,
		});
		expect(faultsOf(large)).toEqual([
			"/customer/name buyer-required",
			"/customer/rnc buyer-required",
			"/totals/tax decimal-form",
		]);
		const special = setAt(makeRequest("44"), "/lines/0/quantity", "x");
		expect(faultsOf(special)).toEqual(["/lines/0/quantity decimal-form", "/totals/tax tax-not-allowed-for-type"]);
	});

	test("totals are judged only when everything else is in order", () => {
		const wrong = { ...base, totals: { subtotal: "1", tax: "1", grand_total: "1" } };
		const problem = problemOf(wrong);
		expect([problem?.slug, problem?.status]).toEqual(["mathematical-discrepancy", 422]);
		expect(problem?.faults.map(({ pointer, code }) => [pointer, code])).toEqual([
			["/totals/subtotal", "line-sum"],
			["/totals/grand_total", "total-sum"],
		]);
		expect(problemOf({ ...wrong, colour: "red" })?.slug).toBe("validation-error");
	});

	test("no name or number of a person is ever repeated", () => {
		const secret = "PEREZ-00112345678-X";
		for (const pointer of [
			"/company/rnc",
			"/customer/rnc",
			"/encf",
			"/issue_date",
			"/currency",
			"/totals/tax",
			"/lines/0/tax_rate",
		]) {
			const problem = problemOf(setAt(base, pointer, secret));
			expect(problem?.slug).toBe("validation-error");
			expect(JSON.stringify([problem?.detail, problem?.faults])).not.toContain(secret);
		}
	});

	test("whatever JSON is sent, the answer is a request or a Problem and never a defect", () => {
		const pointers = [
			"/type",
			"/encf",
			"/company",
			"/customer",
			"/lines",
			"/lines/0",
			"/lines/0/line_number",
			"/totals",
			"/payment",
			"/reference",
			"/adjustments",
			"/metadata",
		];
		fc.assert(fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => void problemOf(value)));
		fc.assert(
			fc.property(fc.constantFrom(...pointers), fc.jsonValue({ maxDepth: 3 }), (pointer, value) => {
				problemOf(setAt(base, pointer, value));
			}),
			{ numRuns: 1_000 },
		);
	});
});
