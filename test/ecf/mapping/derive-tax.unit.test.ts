import { describe, expect, test } from "bun:test";
import type { TaxIndicator } from "../../../src/ecf/mapping/codes";
import { deriveTax } from "../../../src/ecf/mapping/derive-tax";
import { Decimal } from "../../../src/platform/values";

type Line = readonly [amount: string, declared?: TaxIndicator, excise?: string];

/** Asks with the lines' sum as the base, and answers in text. */
function derive(
	lines: readonly Line[],
	itbis: string,
	base?: string,
	adjustments: readonly [string, TaxIndicator?][] = [],
) {
	const sum = Decimal.sum([...lines, ...adjustments].map(([amount]) => Decimal.of(amount)));
	const answer = deriveTax({
		lines: lines.map(([amount, declared, excise]) => ({
			amount: Decimal.of(amount),
			declared,
			excise: Decimal.of(excise ?? "0"),
		})),
		adjustments: adjustments.map(([amount, declared]) => ({ amount: Decimal.of(amount), declared })),
		base: base === undefined ? sum : Decimal.of(base),
		itbis: Decimal.of(itbis),
	});
	return {
		indicators: answer.indicators,
		isExplained: answer.isExplained,
		groups: answer.groups.map((group) => `${group.indicator}: ${group.base.toFixed(2)} + ${group.itbis.toFixed(2)}`),
		shares: answer.shares.map((parts) => parts.map((part) => `${part.indicator}: ${part.amount.toFixed(2)}`)),
	};
}

describe("lines without a rate", () => {
	test("are exempt when there is no tax, however small the amounts", () => {
		expect(derive([["100.00"], ["50.00"]], "0.00")).toMatchObject({ indicators: [4, 4], groups: ["4: 150.00 + 0.00"] });
		expect(derive([["0.02"]], "0.00")).toMatchObject({ indicators: [4], isExplained: true });
	});

	test("are at 18 or 16 %, whichever explains the tax", () => {
		expect(derive([["100.00"]], "18.00")).toMatchObject({ indicators: [1], groups: ["1: 100.00 + 18.00"] });
		expect(derive([["100.00"]], "16.00")).toMatchObject({ indicators: [2], groups: ["2: 100.00 + 16.00"] });
	});

	test("may be off by 0.01 each, inclusive, and the tax stays as declared", () => {
		expect(derive([["33.33"], ["33.33"]], "12.02")).toMatchObject({ isExplained: true, groups: ["1: 66.66 + 12.02"] });
		expect(derive([["33.33"]], "6.02")).toMatchObject({ isExplained: false });
	});

	test("take the rate that is nearer when the tolerance would allow both", () => {
		const lines = Array.from({ length: 100 }, (): Line => ["0.10"]);
		expect(derive(lines, "1.60")).toMatchObject({ groups: ["2: 10.00 + 1.60"] });
	});

	test("are exempt when the lines that name a rate explain the tax already", () => {
		expect(derive([["100.00", 1], ["70.00"]], "18.00")).toMatchObject({ indicators: [1, 4], isExplained: true });
		expect(derive([["100.00", 1], ["50.00"]], "26.00")).toMatchObject({ indicators: [1, 2], isExplained: true });
		expect(derive([["100.00", 3], ["50.00"]], "9.00")).toMatchObject({ indicators: [3, 1], isExplained: true });
	});

	test("count the excise to the base of 18 %", () => {
		expect(derive([["100.00", undefined, "20.00"]], "21.60")).toMatchObject({
			isExplained: true,
			groups: ["1: 100.00 + 21.60"],
		});
	});
});

describe("a tax that no rate explains", () => {
	test("makes the base that it implies at 18 %, and the rest exempt", () => {
		expect(derive([["1000.00"]], "90.00")).toEqual({
			indicators: [1],
			isExplained: false,
			groups: ["1: 500.00 + 90.00", "4: 500.00 + 0.00"],
			shares: [],
		});
	});

	test("marks the lines whose sum is nearest to that base", () => {
		expect(derive([["600.00"], ["500.00"], ["500.00"]], "180.00")).toMatchObject({
			indicators: [4, 1, 1],
			groups: ["1: 1000.00 + 180.00", "4: 600.00 + 0.00"],
		});
	});

	test("leaves what lines name to them", () => {
		expect(derive([["100.00", 2], ["100.00"], ["300.00"]], "34.00")).toMatchObject({
			indicators: [2, 1, 4],
			groups: ["1: 100.00 + 18.00", "2: 100.00 + 16.00", "4: 300.00 + 0.00"],
		});
	});

	test("leaves exempt what lines name exempt, even where the tax would imply more", () => {
		expect(derive([["500.00", 4], ["100.00"]], "50.00")).toMatchObject({
			indicators: [4, 1],
			groups: ["1: 100.00 + 50.00", "4: 500.00 + 0.00"],
		});
	});

	test("takes all as its base when it implies more than there is", () => {
		expect(derive([["100.00"]], "50.00")).toMatchObject({
			indicators: [1],
			isExplained: false,
			groups: ["1: 100.00 + 50.00"],
		});
	});

	test("is shared out among the rates that lines name, and never makes one negative", () => {
		expect(
			derive(
				[
					["100.00", 1],
					["100.00", 2],
				],
				"17.00",
			),
		).toMatchObject({
			indicators: [1, 2],
			isExplained: false,
			groups: ["1: 100.00 + 9.00", "2: 100.00 + 8.00"],
		});
		expect(derive([["100.00", 1], ["50.00"]], "10.00")).toMatchObject({
			indicators: [1, 4],
			isExplained: false,
			groups: ["1: 100.00 + 10.00", "4: 50.00 + 0.00"],
		});
	});

	test("overrules lines that all say they carry none, because something has to carry it", () => {
		expect(
			derive(
				[
					["100.00", 4],
					["200.00", 3],
				],
				"18.00",
			),
		).toMatchObject({ indicators: [1, 4], isExplained: false });
	});
});

describe("the sums", () => {
	test("meet the totals to the cent: the largest base takes what the lines are off", () => {
		expect(
			derive(
				[
					["100.01", 1],
					["10.00", 4],
				],
				"18.00",
				"110.00",
			),
		).toMatchObject({
			isExplained: true,
			groups: ["1: 100.00 + 18.00", "4: 10.00 + 0.00"],
		});
	});

	test("leave no base below zero if the remainder exceeds the largest base", () => {
		const cents: Line[] = [
			["0.01", 1],
			["0.01", 2],
			["0.01", 3],
			["0.01", 4],
		];
		const groups = ["1: 0.00 + 0.00", "2: 0.00 + 0.00", "3: 0.01 + 0.00", "4: 0.01 + 0.00"];
		expect(derive(cents, "0.00", "0.02")).toMatchObject({ isExplained: true, groups });
		expect(derive([["0.01", 4]], "0.00", "-0.01").groups).toEqual(["4: -0.01 + 0.00"]);
	});

	test("count an adjustment to the rate it names, or to all in proportion", () => {
		const lines: Line[] = [
			["100.00", 1],
			["300.00", 4],
		];
		expect(derive(lines, "16.20", undefined, [["-10.00", 1]])).toMatchObject({
			groups: ["1: 90.00 + 16.20", "4: 300.00 + 0.00"],
			shares: [["1: -10.00"]],
		});
		expect(derive(lines, "17.55", undefined, [["-10.00"]])).toMatchObject({
			groups: ["1: 97.50 + 17.55", "4: 292.50 + 0.00"],
			shares: [["1: -2.50", "4: -7.50"]],
		});
	});
});
