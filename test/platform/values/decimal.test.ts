import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Decimal } from "../../../src/platform/values";
import { HOSTILE_DECIMALS } from "../../support/hostile-decimals";

/** The oracle: a fraction of two BigInts, worked with as at school. */
type Fraction = { readonly n: bigint; readonly d: bigint };

function toFraction(text: string): Fraction {
	const isNegative = text.startsWith("-");
	const [whole = "0", decimals = ""] = (isNegative ? text.slice(1) : text).split(".");
	const n = BigInt(whole) * 10n ** BigInt(decimals.length) + BigInt(decimals === "" ? "0" : decimals);
	return { n: isNegative ? -n : n, d: 10n ** BigInt(decimals.length) };
}

const same = (a: Fraction, b: Fraction) => a.n * b.d === b.n * a.d;

/** Rounds half away from zero by comparing the remainder with what is missing to the next unit; answers units of 10^-k. */
function roundUnits({ n, d }: Fraction, decimals: number): bigint {
	const isNegative = n < 0n !== d < 0n && n !== 0n;
	const top = (n < 0n ? -n : n) * 10n ** BigInt(decimals);
	const bottom = d < 0n ? -d : d;
	const down = top / bottom;
	const remainder = top - down * bottom;
	const units = remainder >= bottom - remainder ? down + 1n : down;
	return isNegative ? -units : units;
}

/** Everyday amounts, amounts of any size, and those whose units lie where numbers stop being exact. */
const SAFE_END = 2n ** 53n;
const point = (whole: bigint, decimals: string) => (decimals === "" ? `${whole}` : `${whole}.${decimals}`);
const wire = fc.oneof(
	fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 7n }), fc.stringMatching(/^[0-9]{0,4}$/)).map(([a, b]) => point(a, b)),
	fc
		.tuple(fc.bigInt({ min: 0n, max: 10n ** 16n - 1n }), fc.stringMatching(/^[0-9]{0,6}$/))
		.map(([a, b]) => point(a, b)),
	fc.tuple(fc.bigInt({ min: -60n, max: 60n }), fc.integer({ min: 0, max: 6 })).map(([offset, scale]) => {
		const digits = String(SAFE_END + offset);
		return scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
	}),
);
const signed = fc.tuple(fc.boolean(), wire).map(([isNegative, text]) => (isNegative ? `-${text}` : text));
const decimals = fc.integer({ min: 0, max: 8 });
const check = (property: fc.IPropertyWithHooks<never> | fc.IRawProperty<unknown>) =>
	fc.assert(property, { numRuns: 1_000 });

describe("reading", () => {
	test("the wire form is read exactly and printed as it came", () => {
		check(
			fc.property(wire, (text) => {
				const value = Decimal.parse(text);
				expect(value?.toString()).toBe(text);
				expect(value && same(toFraction(value.toString()), toFraction(text))).toBe(true);
			}),
		);
	});

	test("the smallest and the largest amounts are read", () => {
		for (const text of ["0", "0.0", "0.000001", "9999999999999999.999999", "1", "10", "100.00"]) {
			expect([text, Decimal.parse(text)?.toString()]).toEqual([text, text]);
		}
	});

	test("at least sixty hostile texts are refused, each of them", () => {
		expect(HOSTILE_DECIMALS.length).toBeGreaterThanOrEqual(60);
		expect(new Set(HOSTILE_DECIMALS).size).toBe(HOSTILE_DECIMALS.length);
		const taken = HOSTILE_DECIMALS.filter((text) => Decimal.parse(text) !== undefined);
		expect(taken.map((text) => text.slice(0, 40))).toEqual([]);
	});

	test("any text is either the wire form or refused, and never throws", () => {
		const form = /^(?:0|[1-9]\d{0,15})(?:\.\d{1,6})?$/;
		const near = fc.string({ unit: fc.constantFrom(..."0123456789.,-+eE \n"), maxLength: 26 });
		check(
			fc.property(fc.oneof(near, fc.string({ unit: "binary" })), (text) => {
				expect(Decimal.parse(text) !== undefined).toBe(form.test(text) && !text.endsWith("\n"));
			}),
		);
	});

	test("a text of our own with anything but digits, a sign and a point is a defect", () => {
		for (const text of ["", "-", "+1", "1.", ".1", "1e2", "--1", " 1", "1,0"]) {
			expect(() => Decimal.of(text)).toThrow(RangeError);
		}
		expect(Decimal.of("-0.50").toString()).toBe("-0.50");
	});
});

describe("arithmetic", () => {
	test("plus, minus and times are exact", () => {
		check(
			fc.property(signed, signed, (left, right) => {
				const [a, b] = [toFraction(left), toFraction(right)];
				const [x, y] = [Decimal.of(left), Decimal.of(right)];
				expect(same(toFraction(x.plus(y).toString()), { n: a.n * b.d + b.n * a.d, d: a.d * b.d })).toBe(true);
				expect(same(toFraction(x.minus(y).toString()), { n: a.n * b.d - b.n * a.d, d: a.d * b.d })).toBe(true);
				expect(same(toFraction(x.times(y).toString()), { n: a.n * b.n, d: a.d * b.d })).toBe(true);
			}),
		);
	});

	test("a sum is the same in every order, and nothing sums to zero", () => {
		check(
			fc.property(fc.array(signed, { maxLength: 30 }), (texts) => {
				const values = texts.map(Decimal.of);
				const sum = Decimal.sum(values);
				expect(Decimal.sum(values.toReversed()).equals(sum)).toBe(true);
				expect(sum.minus(Decimal.sum(values)).isZero()).toBe(true);
			}),
		);
		expect(Decimal.sum([]).toString()).toBe("0");
	});

	test("a quotient is rounded half up, away from zero, to its decimals", () => {
		check(
			fc.property(signed, signed, decimals, (left, right, places) => {
				const [a, b] = [toFraction(left), toFraction(right)];
				fc.pre(b.n !== 0n);
				const units = roundUnits({ n: a.n * b.d, d: a.d * b.n }, places);
				const quotient = Decimal.of(left).dividedBy(Decimal.of(right), places);
				expect(same(toFraction(quotient.toString()), { n: units, d: 10n ** BigInt(places) })).toBe(true);
			}),
		);
	});

	test("division by zero is refused, whatever the zero's form", () => {
		for (const zero of ["0", "0.00", "-0"])
			expect(() => Decimal.of("1").dividedBy(Decimal.of(zero), 2)).toThrow(RangeError);
	});

	test("operations that pass the largest exact number lose nothing", () => {
		check(
			fc.property(signed, signed, signed, (a, b, c) => {
				const [x, y, z] = [Decimal.of(a), Decimal.of(b), Decimal.of(c)];
				fc.pre(!z.isZero());
				expect(x.times(y).plus(z).minus(x.times(y)).equals(z)).toBe(true);
				expect(x.times(z).dividedBy(z, 6).equals(x)).toBe(true);
				expect(Decimal.of(x.times(y).times(z).toString()).equals(z.times(y).times(x))).toBe(true);
			}),
		);
	});

	test("halves go away from zero on both sides", () => {
		for (const [text, places, rounded] of [
			["0.005", 2, "0.01"],
			["-0.005", 2, "-0.01"],
			["0.0049", 2, "0.00"],
			["-0.0049", 2, "0.00"],
			["2.5", 0, "3"],
			["-2.5", 0, "-3"],
			["0.5", 0, "1"],
			["999.995", 2, "1000.00"],
			["1.005", 2, "1.01"],
		] as const) {
			expect([text, Decimal.of(text).toFixed(places)]).toEqual([text, rounded]);
		}
	});
});

describe("rounding and printing", () => {
	test("rounded keeps what fits and rounds the rest like the oracle", () => {
		check(
			fc.property(signed, decimals, (text, places) => {
				const rounded = Decimal.of(text).rounded(places);
				expect(
					same(toFraction(rounded.toString()), { n: roundUnits(toFraction(text), places), d: 10n ** BigInt(places) }),
				).toBe(true);
				expect(Decimal.of(text).hasMoreThan(places)).toBe(!same(toFraction(rounded.toString()), toFraction(text)));
			}),
		);
	});

	test("toFixed prints exactly its decimals and no minus before a zero", () => {
		check(
			fc.property(signed, decimals, (text, places) => {
				const printed = Decimal.of(text).toFixed(places);
				expect(printed).toMatch(places === 0 ? /^-?\d+$/ : new RegExp(`^-?\\d+\\.\\d{${places}}$`));
				expect(printed).not.toMatch(/^-[0.]+$/);
				expect(same(toFraction(printed), { n: roundUnits(toFraction(text), places), d: 10n ** BigInt(places) })).toBe(
					true,
				);
			}),
		);
	});

	test("toShortest loses nothing and has no zero that it could do without", () => {
		check(
			fc.property(signed, fc.integer({ min: 0, max: 4 }), (text, least) => {
				const printed = Decimal.of(text).toShortest(least);
				const places = printed.split(".")[1]?.length ?? 0;
				expect(same(toFraction(printed), toFraction(text))).toBe(true);
				expect(places).toBeGreaterThanOrEqual(least);
				if (places > least) expect(printed).not.toMatch(/0$/);
			}),
		);
	});

	test("toShortest prints what a reader would write", () => {
		for (const [text, least, printed] of [
			["118.00", 0, "118"],
			["118.50", 0, "118.5"],
			["118.50", 2, "118.50"],
			["118", 2, "118.00"],
			["100", 0, "100"],
			["0.000", 0, "0"],
			["1.2345", 2, "1.2345"],
		] as const) {
			expect([text, least, Decimal.of(text).toShortest(least)]).toEqual([text, least, printed]);
		}
	});
});

describe("comparing", () => {
	test("the digits before the point are counted, on both sides of each power of ten", () => {
		for (const digits of [1, 2, 9, 13, 14, 15, 16]) {
			const limit = 10n ** BigInt(digits);
			for (const decimals of ["", ".0", ".99", ".999999"]) {
				for (const sign of ["", "-"]) {
					const at = (whole: bigint) => Decimal.of(`${sign}${whole}${decimals}`).hasIntegerDigitsAtMost(digits);
					expect([digits, decimals, sign, at(limit - 1n), at(limit)]).toEqual([digits, decimals, sign, true, false]);
				}
			}
		}
	});

	test("the order is that of the numbers, not of their texts", () => {
		check(
			fc.property(signed, signed, (left, right) => {
				const [a, b] = [toFraction(left), toFraction(right)];
				const difference = a.n * b.d - b.n * a.d;
				const order = difference < 0n ? -1 : difference > 0n ? 1 : 0;
				expect(Decimal.of(left).compare(Decimal.of(right))).toBe(order);
				expect(Decimal.of(left).equals(Decimal.of(right))).toBe(order === 0);
			}),
		);
	});

	test("trailing zeros and the sign of zero do not distinguish numbers", () => {
		expect(Decimal.of("118").equals(Decimal.of("118.00"))).toBe(true);
		expect(Decimal.of("-0").equals(Decimal.of("0.000"))).toBe(true);
		expect(Decimal.of("-0").isNegative()).toBe(false);
	});

	test("abs and negated keep the distance from zero", () => {
		check(
			fc.property(signed, (text) => {
				const value = Decimal.of(text);
				expect(value.abs().isNegative()).toBe(false);
				expect(value.plus(value.negated()).isZero()).toBe(true);
				expect(value.abs().equals(value) || value.abs().equals(value.negated())).toBe(true);
			}),
		);
	});
});
