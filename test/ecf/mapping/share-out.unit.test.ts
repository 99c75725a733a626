import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { findAssignments, findNearest, type LineGroup } from "../../../src/ecf/mapping/search-tax";
import { shareOut } from "../../../src/ecf/mapping/tax-draft";
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

/** Groups whose tax at 18 % is the number given, in cents. */
const groupsOf = (taxes: readonly number[], count = 1): LineGroup[] =>
	taxes.map((tax) => ({ count, tax: { 1: tax, 2: (tax * 16) / 18, 3: 0, 4: 0 } }));
const taxedCounts = (assignment: readonly (readonly number[])[]) => assignment.map(([taxed]) => taxed);

describe("searching the lines that bear a tax", () => {
	test("finds the sum nearest to it, the earlier lines among equal ones", () => {
		const nearest = (taxes: readonly number[], target: number, count = 1) =>
			taxedCounts(findNearest({ groups: groupsOf(taxes, count), rates: [1, 4], target }));
		expect(nearest([600, 500, 500], 1000)).toEqual([0, 1, 1]);
		expect(nearest([500, 700, 500], 500)).toEqual([1, 0, 0]);
		expect(nearest([10], 42, 9)).toEqual([4]);
		fc.assert(
			fc.property(
				fc.array(fc.integer({ min: 0, max: 100_000 }), { minLength: 1, maxLength: 8 }),
				fc.integer({ min: 0, max: 400_000 }),
				(taxes, target) => {
					const distance = (isTaxed: (index: number) => boolean) =>
						Math.abs(taxes.reduce((sum, tax, index) => sum + (isTaxed(index) ? tax : 0), 0) - target);
					const marks = nearest(taxes, target);
					const chosen = distance((index) => marks[index] === 1);
					for (let choice = 0; choice < 2 ** taxes.length; choice++) {
						expect(chosen).toBeLessThanOrEqual(distance((index) => (choice & (1 << index)) !== 0));
					}
				},
			),
		);
	});

	test("of ten thousand lines fixes the largest and comes near all the same", () => {
		const groups = groupsOf(Array.from({ length: 10_000 }, (_, index) => 101 + 7 * index));
		const target = 123_456_789;
		const assignment = findNearest({ groups, rates: [1, 4], target });
		const tax = groups.reduce((sum, group, index) => sum + (assignment[index]?.[0] === 1 ? group.tax[1] : 0), 0);
		expect(Math.abs(tax - target)).toBeLessThan(2);
	});

	test("of three rates tries 4,096 states a half, and says when that is not all", () => {
		const search = (lines: number) => {
			const groups = groupsOf(Array.from({ length: lines }, (_, index) => 2 ** index * 1_000));
			return findAssignments({ groups, rates: [1, 2, 4], target: 2 ** (lines - 1) * 1_000, window: 1 }, 2, () => true);
		};
		expect(search(14)).toMatchObject({ isComplete: true });
		expect(search(15)).toMatchObject({ isComplete: false });
	});
});
