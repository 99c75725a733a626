import { expect, test } from "bun:test";
import fc from "fast-check";
import { hasCheckDigit, maskDocument, parseTaxpayerDocument } from "../../../src/platform/values";

test("nine digits are an RNC and eleven a Cédula, with or without hyphens", () => {
	for (const [text, digits, kind] of [
		["101010101", "101010101", "rnc"],
		["1-01-01010-1", "101010101", "rnc"],
		[" 101 010 101 ", "101010101", "rnc"],
		["00112345678", "00112345678", "cedula"],
		["001-1234567-8", "00112345678", "cedula"],
		["000000000", "000000000", "rnc"],
	] as const) {
		expect(parseTaxpayerDocument(text)).toEqual({ digits, kind });
	}
});

test("another count of digits, other digits and other separators are no number", () => {
	for (const text of [
		...["", "-", "1", "10101010", "1010101010", "101010101012", "1".repeat(1_000)],
		...["10101010A", "101.010.101", "101_010_101", "+101010101", "101010101\n", "101\t010101", "101\u2013010101"],
		...[
			"\u0661\u0660\u0661\u0660\u0661\u0660\u0661\u0660\u0661",
			"\uff11\uff10\uff11\uff10\uff11\uff10\uff11\uff10\uff11",
		],
	]) {
		expect([text, parseTaxpayerDocument(text)]).toEqual([text, undefined]);
	}
});

test("hyphens and spaces anywhere never change the number", () => {
	const digits = fc.oneof(fc.stringMatching(/^[0-9]{9}$/), fc.stringMatching(/^[0-9]{11}$/));
	const gaps = fc.array(fc.constantFrom("", "-", " ", " - "), { minLength: 12, maxLength: 12 });
	fc.assert(
		fc.property(digits, gaps, (number, between) => {
			const text = [...number].map((digit, i) => `${between[i]}${digit}`).join("");
			expect(parseTaxpayerDocument(text)?.digits).toBe(number);
			expect(parseTaxpayerDocument(text)?.kind).toBe(number.length === 9 ? "rnc" : "cedula");
		}),
	);
});

test("a masked number keeps its length and shows its last four digits", () => {
	expect(maskDocument("101010101")).toBe("*****0101");
	expect(maskDocument("00112345678")).toBe("*******5678");
	expect(maskDocument("123")).toBe("123");
});

test("the last digit of an RNC and of a Cédula follows from the others", () => {
	for (const good of ["990000001", "990000026", "990000052", "990000131", "990000174"]) {
		expect([good, hasCheckDigit(good)]).toEqual([good, true]);
	}
	for (const good of ["00100000009", "40200000004", "00199999996", "22300123456", "03100999998"]) {
		expect([good, hasCheckDigit(good)]).toEqual([good, true]);
	}
	for (const bad of ["990000002", "130000002", "00100000000"]) expect([bad, hasCheckDigit(bad)]).toEqual([bad, false]);
});

test("of ten numbers that differ in their last digit one has the right one", () => {
	fc.assert(
		fc.property(fc.stringMatching(/^(\d{8}|\d{10})$/), (others) => {
			const right = [..."0123456789"].filter((last) => hasCheckDigit(others + last));
			expect(right).toHaveLength(1);
		}),
	);
});
