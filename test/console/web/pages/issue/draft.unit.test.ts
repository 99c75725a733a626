/** Drafts of the issue page: what is typed, copied and stored becomes a request with right totals. */
import { describe, expect, test } from "bun:test";
import type { InvoiceDraft } from "../../../../../src/console/web/api/generated";
import { readAmount, readCopied, readRate, sumUp } from "../../../../../src/console/web/pages/issue/amounts";
import {
	addRow,
	duplicateRow,
	fromAnswer,
	LINES_MAX,
	newDraft,
	pasteCells,
	removeRow,
	setCell,
	setMember,
	setType,
	toPlace,
	toRequest,
} from "../../../../../src/console/web/pages/issue/draft";
import { newRow, type Row, ratesOf, TYPES } from "../../../../../src/console/web/pages/issue/row";
import { ECF_TYPES, profileOf, toTypeSchema } from "../../../../../src/ecf/mapping";

const KEY = "5f0c2f9e-0d0f-4b43-9f0e-0a4b1a2c3d4e";
const COMPANY = { rnc: "990000001", name: "FERRETERIA EL PROGRESO SRL" };
const draft = () => newDraft("one", KEY);
const row = (over: Partial<Row>): Row => ({ ...newRow("31"), description: "Clavos", ...over });

test("the form knows the types as the service does", () => {
	expect(Object.keys(TYPES)).toEqual([...ECF_TYPES]);
	for (const type of ECF_TYPES) {
		const { isNote, isPurchase } = profileOf(type);
		expect({ isNote: TYPES[type].isNote === true, isPurchase: TYPES[type].isPurchase === true }).toEqual({
			isNote,
			isPurchase,
		});
		const rates = toTypeSchema(type).properties.lines.items.properties.tax_rate.anyOf as { const: string }[];
		expect(rates.map((one) => one.const).toSorted()).toEqual([...ratesOf(type)].toSorted());
	}
});

describe("amounts", () => {
	for (const [text, amount] of [
		["1234.5", "1234.5"],
		["1,234.50", "1234.50"],
		["RD$ 1,234,567.89", "1234567.89"],
		["1.234,50", "1234.50"],
		["12,5", "12.5"],
		["1,234", "1234"],
		[" .5", "0.5"],
		["007", "7"],
		["5.", "5"],
		["dos", undefined],
		["-3", undefined],
		["1e3", undefined],
		["", undefined],
	] as const)
		test(`"${text}" is read as ${amount}`, () => {
			expect(readAmount(text)?.toString()).toBe(amount as string);
		});

	test("rates are read as a spreadsheet shows them", () => {
		expect(["18", "18%", "0.18", "16 %", "0", "Exento", "E", "17", ""].map(readRate)).toEqual([
			...(["18", "18", "18", "16", "0", "exempt", "exempt"] as const),
			...[undefined, undefined],
		]);
	});

	test("copied cells may be quoted, with tabs and line ends in them", () => {
		expect(readCopied('a\t"b\tc"\r\n"d\n""e"""\t\r\n')).toEqual([
			["a", "b\tc"],
			['d "e"', ""],
		]);
		expect(readCopied('5" pipe\t2\nx')).toEqual([['5" pipe', "2"], ["x"]]);
	});
});

describe("totals", () => {
	test("each rate is rounded once, and discounts of lines count", () => {
		const rows = [
			row({ unit_price: "0.03" }),
			row({ unit_price: "0.03" }),
			row({ quantity: "2", unit_price: "50", discount: "10", tax_rate: "16" }),
			row({ unit_price: "7", tax_rate: "exempt" }),
		];
		expect(sumUp(rows, {})).toEqual({ subtotal: "97.06", tax: "14.41", grand_total: "111.47" });
	});

	test("a discount on the whole document lowers the tax of each rate", () => {
		const rows = [row({ unit_price: "100" }), row({ unit_price: "100", tax_rate: "exempt" })];
		const adjustments = [{ kind: "discount", description: "Fiel", percent: "20" }];
		expect(sumUp(rows, { adjustments })).toEqual({ subtotal: "160.00", tax: "14.40", grand_total: "174.40" });
	});

	test("excise is taxed, and the legal tip is not", () => {
		const further = { additional_taxes: [{ code: "006", amount: "10.00" }] };
		expect(sumUp([row({ unit_price: "100", further })], { legal_tip: "10" })).toEqual({
			...{ subtotal: "100.00", tax: "39.80", grand_total: "139.80" },
		});
	});
});

describe("a draft", () => {
	test("becomes a request without its blank lines, and faults find their rows", () => {
		let now = setCell(draft(), 0, "description", "Cemento");
		now = setCell(now, 0, "unit_price", "1,000");
		now = addRow(addRow(now, 1), 2);
		now = setCell(now, 2, "description", "Acarreo");
		now = setCell(setCell(now, 2, "unit_price", "50"), 2, "kind", "service");
		now = setMember(now, "/customer/rnc", "131880681");
		const { body, rowOfLine } = toRequest(now, COMPANY);
		expect(body).toEqual({
			...{ type: "31", encf: "auto", client_request_id: `console-${KEY}`, company: COMPANY },
			customer: { rnc: "131880681" },
			lines: [
				{
					...{ line_number: 1, description: "Cemento", quantity: "1", unit_price: "1000", subtotal: "1000.00" },
					tax_rate: "18",
				},
				{
					...{ line_number: 2, description: "Acarreo", quantity: "1", unit_price: "50", subtotal: "50.00" },
					...{ tax_rate: "18", kind: "service" },
				},
			],
			totals: { subtotal: "1050.00", tax: "189.00", grand_total: "1239.00" },
		});
		expect(toPlace("/lines/1/quantity", rowOfLine)).toBe("/lines/2/quantity");
		expect(toPlace("/lines/0/withholding/itbis", rowOfLine)).toBe("/lines/0/withheld_itbis");
	});

	test("what cannot be read is sent as it is, so that the service names the fault", () => {
		const now = setCell(setCell(draft(), 0, "description", "x"), 0, "unit_price", "diez");
		expect(toRequest(now, COMPANY).body.lines[0]?.unit_price).toBe("diez");
	});

	test("an emptied member goes with the parents that it leaves empty", () => {
		const now = setMember(draft(), "/customer/address/street", "Calle 1");
		expect(setMember(now, "/customer/address/street", "").members).toEqual({ type: "31" });
	});

	test("another type drops a number of the old one and rates that it lacks", () => {
		const now = setType(setMember(draft(), "/encf", "E310000000001"), "44");
		expect(now.members).toEqual({ type: "44" });
		expect(now.rows[0]?.tax_rate).toBe("exempt");
	});

	test("copied cells fill it to the limit of lines, and no further", () => {
		const texts = Array.from({ length: LINES_MAX + 5 }, (_, n) => [`Artículo ${n}`, "2", "3.50", "", "16%"]);
		const now = pasteCells(draft(), 0, ["description", "quantity", "unit_price", "discount", "tax_rate"], texts);
		expect(now.rows).toHaveLength(LINES_MAX);
		expect(now.rows.at(-1)).toMatchObject({ description: "Artículo 999", unit_price: "3.5", tax_rate: "16" });
		expect(duplicateRow(addRow(now, 0), 0).rows).toHaveLength(LINES_MAX);
	});

	test("its last line can be removed, and a blank one is left", () => {
		expect(removeRow(setCell(draft(), 0, "description", "x"), 0).rows).toMatchObject([{ description: "" }]);
	});
});

describe("a draft of a stored document", () => {
	const answer = (over: Partial<InvoiceDraft["request"]> = {}): InvoiceDraft => ({
		...{ as: "copy", docId: "0192f110-7a00-7b11-9c22-334455667788", encf: "E310000000001", changes: [] },
		request: {
			...{ type: "31", encf: "auto" },
			lines: [
				{ line_number: 1, description: "a", quantity: "3", unit_price: "33.33", subtotal: "100.00" },
				{ line_number: 2, description: "b", quantity: "1", unit_price: "100", subtotal: "100.00", discount: "0.00" },
			],
			totals: { subtotal: "200.00", tax: "36.00", grand_total: "236.00" },
			...over,
		},
		open: [{ pointer: "/due_date", detail: "State it.", detailEs: "Indíquela." }],
	});

	test("has the rates that its totals mean, and its amounts until a line is changed", () => {
		const now = fromAnswer("copy", KEY, answer());
		expect(now.rows.map(({ tax_rate }) => tax_rate)).toEqual(["18", "18"]);
		expect(toRequest(now, COMPANY).body.totals.grand_total).toBe("236.00");
		expect(toRequest(setCell(now, 0, "quantity", "2"), COMPANY).body.lines[0]?.subtotal).toBe("66.66");
	});

	test("keeps totals that no single rate explains until an amount is changed", () => {
		const totals = { subtotal: "200.00", tax: "18.00", grand_total: "218.00" };
		const now = fromAnswer("copy", KEY, answer({ totals }));
		expect(toRequest(setCell(now, 0, "description", "c"), COMPANY).body).toMatchObject({ totals });
		const changed = setCell(now, 0, "quantity", "2");
		expect(changed.rows.map(({ tax_rate }) => tax_rate)).toEqual(["18", "18"]);
		expect(changed.open.map(({ pointer }) => pointer)).toEqual(["/due_date", "/rates"]);
	});

	test("what is filled in is no longer open", () => {
		const now = fromAnswer("copy", KEY, answer());
		expect(setMember(now, "/due_date", "2026-12-24").open).toEqual([]);
	});
});
