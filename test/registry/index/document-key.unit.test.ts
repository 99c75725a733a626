import { expect, test } from "bun:test";
import fc from "fast-check";
import { parseTaxpayerDocument } from "../../../src/platform/values";
import { countDigits, digitsOf, keyOf, keyOfWritten, writeDigits } from "../../../src/registry/index/document-key";

const digit = fc.constantFrom(..."0123456789");
const digits = fc.oneof(
	fc.string({ unit: digit, minLength: 9, maxLength: 9 }),
	fc.string({ unit: digit, minLength: 11, maxLength: 11 }),
);

test("a key converts back to its number", () => {
	fc.assert(
		fc.property(digits, (text) => {
			const bytes = Buffer.alloc(13, ".");
			expect(digitsOf(keyOf(text))).toBe(text);
			expect(writeDigits(keyOf(text), bytes, 1)).toBe(text.length);
			expect(bytes.toString()).toBe(`.${text}`.padEnd(13, "."));
			expect(countDigits(keyOf(text))).toBe(text.length);
		}),
	);
});

test("keys sort like their texts", () => {
	fc.assert(
		fc.property(digits, digits, (a, b) => expect(Math.sign(keyOf(a) - keyOf(b))).toBe(a === b ? 0 : a < b ? -1 : 1)),
	);
});

test("a written number has the key of its digits, and other text has none", () => {
	const written = fc.string({ unit: fc.constantFrom(..."0123456789- ", "A", ".", "\t", "٣"), maxLength: 15 });
	fc.assert(
		fc.property(fc.oneof(written, digits), (text) => {
			const document = parseTaxpayerDocument(text);
			expect(keyOfWritten(text)).toBe(document ? keyOf(document.digits) : Number.NaN);
		}),
		{ numRuns: 2_000 },
	);
});
