import { expect, test } from "bun:test";
import fc from "fast-check";
import {
	countNumbers,
	dropNumbers,
	formatRanges,
	listNumbers,
	parseRanges,
	takeLowest,
} from "../../../src/invoicing/sequences/number-ranges";

/** Sorted ranges that neither touch nor share numbers. */
const ranges = fc.array(fc.tuple(fc.nat(20), fc.nat(20)), { maxLength: 8 }).map((pairs) => {
	let next = 1;
	return pairs.map(([gap, length]) => {
		const first = next + gap + 1;
		next = first + length + 1;
		return { first, last: first + length };
	});
});

test("ranges come back from the database's form as they were", () => {
	fc.assert(fc.property(ranges, (all) => expect(parseRanges(formatRanges(all))).toEqual(all)));
	expect(parseRanges("{}")).toEqual([]);
});

test("the lowest numbers are the first of the list, and never more than there are", () => {
	fc.assert(
		fc.property(ranges, fc.nat(200), (all, count) => {
			const taken = takeLowest(all, count);
			expect(listNumbers(taken)).toEqual(listNumbers(all).slice(0, count));
			expect(countNumbers(taken)).toBe(Math.min(count, countNumbers(all)));
		}),
	);
});

test("dropping numbers leaves exactly the others", () => {
	fc.assert(
		fc.property(ranges, ranges, (all, dropped) => {
			const gone = new Set(listNumbers(dropped));
			expect(listNumbers(dropNumbers(all, dropped))).toEqual(listNumbers(all).filter((n) => !gone.has(n)));
		}),
	);
});
