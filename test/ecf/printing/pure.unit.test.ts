/** The parts that only count: amounts, breaking lines, sharing out pages, letters. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isPlaceCode, placeName } from "../../../src/ecf/mapping";
import { printAmount, sumLines, taxOf } from "../../../src/ecf/printing/amounts";
import { paginate, toQrMatrix, toRuns, wrap } from "../../../src/ecf/printing/drawing";
import { fitLetters } from "../../../src/ecf/printing/fonts";
import { taxName, titleOf, unitName } from "../../../src/ecf/printing/names";
import type { PrintableLine } from "../../../src/ecf/printing/printable";
import { readPrintable } from "../../../src/ecf/printing/read-printable";
import { toCodePage } from "../../../src/ecf/printing/receipt/write-escpos";
import { opened, signedDocument } from "./support/papers";

test.each([
	["0", "0.00"],
	["5310.5", "5,310.50"],
	["1234567.8912", "1,234,567.8912"],
	["9999999999999999.99", "9,999,999,999,999,999.99"],
	["-100.00", "-100.00"],
])("the amount %s prints as %s", (text, printed) => {
	expect(printAmount(text)).toBe(printed);
});

test("an amount without its separators is the document's own", () => {
	const digits = fc.stringMatching(/^(0|[1-9]\d{0,15})(\.\d{2,6})?$/);
	fc.assert(
		fc.property(digits, (text) => {
			const printed = printAmount(text);
			expect(printed.replaceAll(",", "")).toBe(text.includes(".") ? text : `${text}.00`);
			expect(printed).toMatch(/^\d{1,3}(,\d{3})*\.\d{2,}$/);
		}),
	);
});

test("lines keep every letter in order, and only a letter wider than the line is wider", () => {
	const measure = (text: string) => opened.fonts.regular.widthOf(text, 8);
	fc.assert(
		fc.property(fc.string({ unit: "grapheme", maxLength: 200 }), fc.integer({ min: 1, max: 300 }), (text, width) => {
			const lines = wrap(text, width, measure);
			expect(lines.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
			for (const line of lines) expect(measure(line) <= width + 1e-6 || [...line].length === 1).toBe(true);
		}),
	);
});

test("pages hold all blocks in order, within the height that the totals leave", () => {
	const heights = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 60 });
	fc.assert(
		fc.property(heights, fc.integer({ min: 50, max: 200 }), fc.integer({ min: 0, max: 50 }), (all, room, less) => {
			const blocks = all.map((height, n) => ({ height, n }));
			const pages = paginate(blocks, room, room - less);
			expect(pages.flat()).toEqual(blocks);
			const used = pages.map((page) => page.reduce((sum, { height }) => sum + height, 0));
			expect(used.every((height) => height <= room)).toBe(true);
			expect(used.at(-1)).toBeLessThanOrEqual(room - less);
			expect(used.slice(0, -1).every((height) => height > 0)).toBe(true);
		}),
	);
});

test("whatever a text holds, its printed letters are in the font or the line's break", () => {
	const has = opened.fonts.regular.has;
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
			for (const letter of fitLetters(text, has)) expect(letter === "\n" || has(letter.codePointAt(0) ?? 0)).toBe(true);
		}),
	);
	expect(fitLetters("a\u0301rbol\u00A0x\u200By\u202Ez 漢", has)).toBe("árbol xyz □");
});

test("no text has a control character for the printer", () => {
	fc.assert(
		fc.property(fc.string({ unit: "binary", maxLength: 80 }), (text) => {
			expect([...toCodePage(text)].filter((byte) => byte < 0x20 || byte === 0x7f)).toEqual([]);
		}),
	);
});

describe("a line's ITBIS", () => {
	const line = (indicator: string, amount: string): PrintableLine => ({
		...{
			number: "1",
			description: "x",
			codes: [],
			indicator,
			quantity: "1",
			unit: undefined,
			unitPrice: amount,
			amount,
		},
		...{ discount: undefined, surcharge: undefined, taxes: [], alcoholDegrees: undefined, retailPrice: undefined },
		...{ productionDate: undefined, expiryDate: undefined },
	});

	test.each([
		["1", "100.03", false, "18.01"],
		["2", "100.00", false, "16.00"],
		["3", "100.00", false, "0.00"],
		["4", "100.00", false, "0.00"],
		["1", "118.00", true, "18.00"],
		["2", "0.01", true, "0.00"],
	] as const)("of indicator %s and %s is %s when included: %s", (indicator, amount, isIncluded, itbis) => {
		expect(taxOf(line(indicator, amount), isIncluded).itbis.toFixed(2)).toBe(itbis);
	});

	test("and its base make up the sum of a page; what is not billed counts nowhere", () => {
		const sums = sumLines([line("1", "118.00"), line("4", "50.00"), line("0", "7.00")], true);
		const texts = [sums.taxed, sums.itbis, sums.exempt, sums.total].map((one) => one.toFixed(2));
		expect(texts).toEqual(["100.00", "18.00", "50.00", "168.00"]);
	});
});

test("codes print as the authority's words, and unknown ones as themselves", () => {
	expect([titleOf("31"), unitName("43"), unitName("62"), taxName("002"), placeName("010100")]).toEqual([
		...["Factura de Crédito Fiscal Electrónica", "Unidad", "Onzas Troy"],
		...["Contribución al Desarrollo de las Telecomunicaciones (Ley 153-98, art. 45)", "Santo Domingo de Guzmán"],
	]);
	expect([unitName("99"), taxName("099"), placeName("999999")]).toEqual(["99", "099", "999999"]);
});

test("every place of the authority's table has a name", () => {
	const codes = Array.from({ length: 330_000 }, (_, n) => String(n).padStart(6, "0")).filter(isPlaceCode);
	expect(codes.length).toBe(582);
	expect(codes.filter((code) => placeName(code) === code)).toEqual([]);
});

test("a QR is the smallest that holds the address, and its runs are its dark modules", () => {
	for (const [bytes, side] of [
		[126, 49],
		[203, 57],
		[217, 61],
	] as const) {
		const matrix = toQrMatrix("x".repeat(bytes));
		expect({ bytes, side: matrix.length }).toEqual({ bytes, side });
		const dark = matrix.flat().filter(Boolean).length;
		expect(toRuns(matrix).reduce((sum, { length }) => sum + length, 0)).toBe(dark);
	}
});

test("what is printed is what was signed, text for text", () => {
	const signed = signedDocument("31-everything");
	const printable = readPrintable(signed, (text) => text);
	expect(printable).toMatchObject({
		...{
			type: "31",
			encf: "E310000000099",
			expiresOn: "31-12-2028",
			securityCode: /<SignatureValue>(.{6})/.exec(Buffer.from(signed).toString())?.[1],
			signedAt: "20-11-2026 10:20:00",
		},
		totals: { total: "2181.26", itbis: "241.19", rates: [{ percent: "18" }, { percent: "16" }, { percent: "0" }] },
		lines: [
			{ quantity: "10.00", amount: "1144.60", taxes: ["002", "001"], retailPrice: "950.00" },
			{},
			{},
			{ indicator: "4" },
			{ indicator: "0" },
		],
	});
	expect(() => readPrintable(Buffer.from("<ECF></ECF>"), (text) => text)).toThrow("no Encabezado");
	expect(() => readPrintable(Buffer.from("no document"), (text) => text)).toThrow("signed e-CF");
});
