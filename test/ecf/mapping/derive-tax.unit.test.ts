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
		outcome: answer.outcome,
		groups: answer.groups.map((group) => `${group.indicator}: ${group.base.toFixed(2)} + ${group.itbis.toFixed(2)}`),
		...(answer.expected.length === 0 ? {} : { expected: answer.expected.map((tax) => tax.toFixed(2)) }),
		shares: answer.shares.map((parts) => parts.map((part) => `${part.indicator}: ${part.amount.toFixed(2)}`)),
	};
}

describe("lines without a rate", () => {
	test("are exempt when there is no tax, however small the amounts", () => {
		expect(derive([["100.00"], ["50.00"]], "0.00")).toMatchObject({ indicators: [4, 4], groups: ["4: 150.00 + 0.00"] });
		expect(derive([["0.02"]], "0.00")).toMatchObject({ indicators: [4], outcome: "uniform" });
	});

	test("are at 18 or 16 %, whichever explains the tax", () => {
		expect(derive([["100.00"]], "18.00")).toMatchObject({ indicators: [1], groups: ["1: 100.00 + 18.00"] });
		expect(derive([["100.00"]], "16.00")).toMatchObject({ indicators: [2], groups: ["2: 100.00 + 16.00"] });
	});

	test("may be off by 0.01 each, inclusive, and the tax stays as declared", () => {
		expect(derive([["33.33"], ["33.33"]], "12.02")).toMatchObject({ outcome: "uniform", groups: ["1: 66.66 + 12.02"] });
		expect(derive([["33.33"]], "6.02")).toMatchObject({ outcome: "rounding" });
	});

	test("take the rate that is nearer when the tolerance would allow both", () => {
		const lines = Array.from({ length: 100 }, (): Line => ["0.10"]);
		expect(derive(lines, "1.60")).toMatchObject({ groups: ["2: 10.00 + 1.60"] });
	});

	test("are exempt when the lines that name a rate explain the tax already", () => {
		expect(derive([["100.00", 1], ["70.00"]], "18.00")).toMatchObject({ indicators: [1, 4], outcome: "uniform" });
		expect(derive([["100.00", 1], ["50.00"]], "26.00")).toMatchObject({ indicators: [1, 2], outcome: "uniform" });
		expect(derive([["100.00", 3], ["50.00"]], "9.00")).toMatchObject({ indicators: [3, 1], outcome: "uniform" });
	});

	test("count the excise to the base of 18 %", () => {
		expect(derive([["100.00", undefined, "20.00"]], "21.60")).toMatchObject({
			outcome: "uniform",
			groups: ["1: 100.00 + 21.60"],
		});
	});
});

describe("a tax of several rates", () => {
	test("is silent when exactly one assignment of whole lines gives it", () => {
		expect(derive([["250.00"], ["90.00"]], "40.00")).toMatchObject({
			indicators: [2, 4],
			outcome: "unique",
			groups: ["2: 250.00 + 40.00", "4: 90.00 + 0.00"],
		});
		expect(derive([["500.00"], ["300.00"], ["77.00"]], "138.00")).toMatchObject({
			indicators: [1, 2, 4],
			outcome: "unique",
			groups: ["1: 500.00 + 90.00", "2: 300.00 + 48.00", "4: 77.00 + 0.00"],
		});
		expect(derive([["6000.00"], ["3000.00"]], "1080.00")).toMatchObject({ indicators: [1, 4], outcome: "unique" });
		expect(derive([["600.00"], ["500.00"], ["500.00"]], "180.00")).toMatchObject({
			indicators: [4, 1, 1],
			groups: ["1: 1000.00 + 180.00", "4: 600.00 + 0.00"],
		});
	});

	test("is ambiguous when several do, and earlier lines are taxed", () => {
		expect(derive([["100.00"], ["100.00"]], "34.00")).toMatchObject({ indicators: [1, 2], outcome: "ambiguous" });
		expect(derive([["100.00"], ["100.00"]], "18.00")).toMatchObject({ indicators: [1, 4], outcome: "ambiguous" });
		expect(derive([["80.00"], ["90.00"], ["500.00", 4]], "14.40")).toMatchObject({
			indicators: [1, 4, 4],
			outcome: "ambiguous",
		});
		expect(derive([["100.00"], ["0.11"], ["70.00"]], "29.22").outcome).toBe("ambiguous");
	});

	test("follows by line rounding too, and then each rate has the sum of its lines", () => {
		const lines: Line[] = [["10.08"], ["10.13"], ["10.18"], ["300.00"]];
		expect(derive(lines, "5.46")).toMatchObject({ outcome: "unique", groups: ["1: 30.39 + 5.46", "4: 300.00 + 0.00"] });
		expect(derive(lines, "5.47")).toMatchObject({ outcome: "unique", groups: ["1: 30.39 + 5.47", "4: 300.00 + 0.00"] });
	});

	test("leaves what lines name to them", () => {
		expect(derive([["100.00", 2], ["100.00"], ["300.00"]], "34.00")).toMatchObject({
			indicators: [2, 1, 4],
			outcome: "unique",
			groups: ["1: 100.00 + 18.00", "2: 100.00 + 16.00", "4: 300.00 + 0.00"],
		});
	});

	test("follows from the lines less their part of a discount", () => {
		expect(derive([["250.00"], ["90.00"]], "36.00", undefined, [["-34.00"]])).toMatchObject({
			indicators: [2, 4],
			outcome: "unique",
			groups: ["2: 225.00 + 36.00", "4: 81.00 + 0.00"],
		});
	});

	test("is ambiguous if one rate is cents off and an assignment exact", () => {
		expect(derive([["1000.00"], ["5000.00"], ["0.90"]], "1080.14")).toMatchObject({
			indicators: [1, 1, 1],
			outcome: "ambiguous",
		});
	});

	test("is never assigned wrongly in silence, with bounded work", () => {
		const numbers = numbersFrom(20_261_127);
		const found: Record<string, number> = {};
		for (let n = 0; n < 800; n++) {
			const { lines, rates, tax } = drawBasket(numbers);
			const before = process.cpuUsage();
			const { outcome, indicators } = derive(
				lines.map((cents) => [toText(cents)]),
				toText(tax),
			);
			// Processor time, which other processes do not change. Units: microseconds.
			expect(process.cpuUsage(before).user).toBeLessThan(250_000);
			found[outcome] = (found[outcome] ?? 0) + 1;
			if (outcome !== "ambiguous") expect([lines, tax, indicators]).toEqual([lines, tax, rates]);
		}
		expect(Object.keys(found).sort()).toEqual(["ambiguous", "uniform", "unique"]);
		expect(found.unique).toBeGreaterThan(50);
	});
});

/** Mulberry32: numbers from 0 to below 1 that a seed decides. */
function numbersFrom(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
		mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
		return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
	};
}

/** 3 to 30 lines from 1.00, some of whole pesos, with their true rates. The tax is rounded by rate or by line. */
function drawBasket(numbers: () => number) {
	const pick = <T>(list: readonly T[]): T => list[Math.floor(numbers() * list.length)] as T;
	const inUse = pick<readonly TaxIndicator[]>([[1, 4], [1, 2, 4], [2, 4], [1, 2], [1], [2]]);
	const [step, most] = [pick([1, 1, 100]), pick([2_000, 20_000, 500_000])];
	const lines = Array.from({ length: 3 + Math.floor(numbers() * 28) }, () => {
		return Math.ceil((100 + numbers() * most) / step) * step;
	});
	const rates = lines.map(() => pick(inUse));
	const percentOf: Readonly<Record<TaxIndicator, number>> = { 1: 18, 2: 16, 3: 0, 4: 0 };
	const rounded = (hundredths: number) => Math.floor((hundredths + 50) / 100);
	const sumAt = (rate: TaxIndicator) =>
		lines.reduce((sum, cents, index) => sum + (rates[index] === rate ? cents : 0), 0);
	const byRate = rounded(sumAt(1) * 18) + rounded(sumAt(2) * 16);
	const byLine = lines.reduce((sum, cents, index) => sum + rounded(cents * percentOf[rates[index] ?? 4]), 0);
	return { lines, rates, tax: pick([byRate, byLine]) };
}
const toText = (cents: number) => (cents / 100).toFixed(2);

describe("a tax that no assignment gives", () => {
	test("stands, and the bases are the sums of the marked lines", () => {
		expect(derive([["1000.00"]], "90.00")).toEqual({
			indicators: [1],
			outcome: "not-derivable",
			groups: ["1: 1000.00 + 90.00"],
			shares: [],
			expected: ["0.00", "160.00", "180.00"],
		});
		expect(derive([["100.00"]], "10.00").expected).toEqual(["0.00", "16.00", "18.00"]);
	});

	test("is rounding up to 1.00 a line, inclusive", () => {
		expect(derive([["100.00"]], "19.00").outcome).toBe("rounding");
		expect(derive([["100.00"]], "19.01").outcome).toBe("not-derivable");
		expect(derive([["100.00", 1]], "17.00").outcome).toBe("rounding");
	});

	test("marks the open lines whose sum is nearest, and at least one", () => {
		expect(derive([["600.00"], ["500.00"], ["500.00"]], "181.00")).toMatchObject({ indicators: [4, 1, 1] });
		expect(derive([["1000.00"], ["900.00"], ["0.00"]], "0.50")).toMatchObject({
			indicators: [4, 1, 4],
			outcome: "not-derivable",
		});
		expect(derive([["0.00"]], "5.00")).toMatchObject({ indicators: [1], groups: ["1: 0.00 + 5.00"] });
	});

	test("leaves exempt what lines name exempt", () => {
		expect(derive([["500.00", 4], ["100.00"]], "50.00")).toMatchObject({
			indicators: [4, 1],
			groups: ["1: 100.00 + 50.00", "4: 500.00 + 0.00"],
			expected: ["0.00", "16.00", "18.00"],
		});
	});

	test("takes all as its base when it implies more than there is", () => {
		expect(derive([["100.00"]], "50.00")).toMatchObject({
			indicators: [1],
			outcome: "not-derivable",
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
			outcome: "not-derivable",
			groups: ["1: 100.00 + 9.00", "2: 100.00 + 8.00"],
		});
		expect(derive([["100.00", 1], ["50.00"]], "10.00")).toMatchObject({
			indicators: [1, 4],
			outcome: "not-derivable",
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
		).toMatchObject({ indicators: [1, 4], outcome: "not-derivable" });
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
			outcome: "uniform",
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
		expect(derive(cents, "0.00", "0.02")).toMatchObject({ outcome: "uniform", groups });
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
