import { expect, test } from "bun:test";
import fc from "fast-check";
import { isLongerThan, isShorterThan } from "../../../src/platform/values";

const text = fc.string({ unit: fc.constantFrom("a", "ñ", "\uffff", "😀", "𐐷"), maxLength: 20 });

test("a text is longer or shorter than a number of characters as its code points are", () => {
	fc.assert(
		fc.property(text, fc.nat({ max: 24 }), (value, characters) => {
			const count = Array.from(value).length;
			expect([isLongerThan(value, characters), isShorterThan(value, characters)]).toEqual([
				count > characters,
				count < characters,
			]);
		}),
	);
});

test("no text is too long where there is no limit", () => {
	expect(isLongerThan("😀".repeat(5_000), Number.POSITIVE_INFINITY)).toBe(false);
});
