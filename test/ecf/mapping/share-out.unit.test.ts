import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { markNearest, shareOut } from "../../../src/ecf/mapping/derive-tax";
import { Decimal } from "../../../src/platform/values";

const amounts = (...texts: string[]) => texts.map((text) => Decimal.of(text));
const CENT = Decimal.of("0.01");
const cents = fc.integer({ min: 0, max: 1_000_000 }).map((n) => CENT.times(Decimal.of(String(n))));

describe("sharing a sum out", () => {
	test("is in proportion, and the largest takes what rounding leaves", () => {
		expect(shareOut(Decimal.of("100.00"), amounts("1", "1", "1.01")).map(String)).toEqual(["33.22", "33.22", "33.56"]);
		expect(shareOut(Decimal.of("-1.00"), amounts("2", "1")).map(String)).toEqual(["-0.67", "-0.33"]);
	});

	test("gives everything to the first when no part weighs anything", () => {
		expect(shareOut(Decimal.of("5.00"), amounts("0", "0")).map((part) => part.toFixed(2))).toEqual(["5.00", "0.00"]);
	});

	test("takes nothing below zero where all parts were rounded up", () => {
		const shares = (total: string) =>
			shareOut(Decimal.of(total), amounts(...Array(5).fill("0.04"))).map((part) => part.toFixed(2));
		expect(shares("0.03").sort()).toEqual(["0.00", "0.00", "0.01", "0.01", "0.01"]);
		expect(shares("-0.03")).toEqual(shares("0.03").map((part) => (part === "0.00" ? part : `-${part}`)));
	});

	test("always adds up, and no part has the other sign", () => {
		// Sums of a few cents among many are where rounding matters.
		const few = fc.integer({ min: 0, max: 20 }).map((n) => CENT.times(Decimal.of(String(n))));
		fc.assert(
			fc.property(fc.oneof(few, cents), fc.array(cents, { minLength: 1, maxLength: 8 }), (total, weights) => {
				const parts = shareOut(total, weights);
				expect(Decimal.sum(parts).equals(total)).toBe(true);
				expect(parts.some((part) => part.isNegative())).toBe(false);
			}),
		);
	});
});

describe("marking the amounts that come nearest to a sum", () => {
	test("finds the ones that make it up, which the largest first would miss", () => {
		expect(markNearest(amounts("600", "500", "500"), Decimal.of("1000"))).toEqual([false, true, true]);
	});

	test("marks at least one, however far it is", () => {
		expect(markNearest(amounts("1000"), Decimal.of("1"))).toEqual([true]);
		expect(
			markNearest(
				Array.from({ length: 40 }, () => Decimal.of("10")),
				Decimal.of("1"),
			).filter(Boolean),
		).toHaveLength(1);
	});

	test("takes the earlier of equal ones, and is no worse than any other choice among few", () => {
		expect(markNearest(amounts("5", "5"), Decimal.of("5"))).toEqual([true, false]);
		fc.assert(
			fc.property(fc.array(cents, { minLength: 1, maxLength: 6 }), cents, (list, target) => {
				const distance = (marks: readonly boolean[]) =>
					Decimal.sum(list.filter((_, index) => marks[index]))
						.minus(target)
						.abs();
				const chosen = distance(markNearest(list, target));
				for (let choice = 1; choice < 2 ** list.length; choice++) {
					const other = distance(list.map((_, index) => (choice & (1 << index)) !== 0));
					expect(chosen.compare(other)).toBeLessThanOrEqual(0);
				}
			}),
		);
	});

	test("of many amounts fills up from the largest", () => {
		const list = Array.from({ length: 1_000 }, (_, index) => Decimal.of(String(index)));
		const marks = markNearest(list, Decimal.of("2500"));
		expect(list.filter((_, index) => marks[index]).map(String)).toEqual(["503", "998", "999"]);
	});
});
