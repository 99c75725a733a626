import { expect, test } from "bun:test";
import { checkTotals } from "../../../../src/invoicing/invoices/check/check-values";
import { msg } from "../../../../src/platform/problem";

/** The oracle counts in millionths, from texts, with none of our own arithmetic. */
const MILLION = 1_000_000n;

function toMillionths(text: string): bigint {
	const [whole = "0", decimals = ""] = text.split(".");
	return BigInt(whole) * MILLION + BigInt(decimals.padEnd(6, "0"));
}

/** Writes millionths with as many decimals as are asked for, or more when they are needed. */
function write(millionths: bigint, decimals: number): string {
	let text = `${millionths / MILLION}.${String(millionths % MILLION).padStart(6, "0")}`;
	while (text.endsWith("0") && text.length - text.indexOf(".") - 1 > decimals) text = text.slice(0, -1);
	return text.endsWith(".") ? text.slice(0, -1) : text;
}

function expectedCodes(lines: readonly string[], subtotal: string, tax: string, total: string): string[] {
	const difference = lines.reduce((sum, line) => sum + toMillionths(line), 0n) - toMillionths(subtotal);
	const isOff = difference > 10_000n || difference < -10_000n;
	const isTotal = toMillionths(subtotal) + toMillionths(tax) === toMillionths(total);
	return [...(isOff ? ["line-sum"] : []), ...(isTotal ? [] : ["total-sum"])];
}

type Totals = { subtotal: string; tax: string; grand_total: string };
function codesOf(subtotals: readonly string[], totals: Totals): string[] {
	const lines = subtotals.map((subtotal, i) => ({
		line_number: i + 1,
		description: "x",
		quantity: "1",
		unit_price: "1",
		subtotal,
	}));
	return checkTotals({ type: "31", lines, totals }).map(({ code }) => code);
}

/** A small generator with a seed, so that a failure can be repeated. Source: mulberry32. */
function seeded(seed: number): () => number {
	let state = seed;
	return () => {
		state = (state + 0x6d2b79f5) | 0;
		let t = Math.imul(state ^ (state >>> 15), 1 | state);
		t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
		return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
	};
}

test("ten thousand random invoices are judged as the oracle judges them", () => {
	const random = seeded(20_261_120);
	const whole = (most: number) => Math.floor(random() * (most + 1));
	const pick = <T>(values: readonly T[]): T | undefined => values[whole(values.length - 1)];
	// Millionths: nothing, a cent, a little more than a cent, two cents, and a cent with one millionth less or more.
	const offsets = [0n, 10_000n, 11_000n, 20_000n, 9_999n, 10_001n, 1n];
	const seen = { fits: 0, "line-sum": 0, "total-sum": 0, both: 0 };
	for (let round = 0; round < 10_000; round++) {
		const count = random() < 0.1 ? 1 + whole(199) : 1 + whole(9);
		const lines = Array.from({ length: count }, () =>
			write(BigInt(whole(random() < 0.5 ? 999_999 : 9e15)) * 10n ** BigInt(whole(3)), whole(6)),
		);
		const sum = lines.reduce((total, line) => total + toMillionths(line), 0n);
		const sign = random() < 0.5 ? -1n : 1n;
		const off = sum + sign * (pick(offsets) ?? 0n);
		const subtotal = write(off < 0n ? 0n : off, whole(6));
		const tax = write(BigInt(whole(9e12)), whole(6));
		const exact = toMillionths(subtotal) + toMillionths(tax);
		const total = exact + (random() < 0.6 ? 0n : sign * (pick(offsets) ?? 0n));
		const totals = { subtotal, tax, grand_total: write(total < 0n ? 0n : total, whole(6)) };
		const expected = expectedCodes(lines, totals.subtotal, totals.tax, totals.grand_total);
		const codes = codesOf(lines, totals);
		if (codes.join() !== expected.join())
			expect({ round, lines, totals, codes }).toEqual({ round, lines, totals, codes: expected });
		if (expected.length === 2) seen.both++;
		else if (expected[0] === undefined) seen.fits++;
		else seen[expected[0] as "line-sum" | "total-sum"]++;
	}
	// Each verdict came up often enough to mean something.
	for (const count of Object.values(seen)) expect(count).toBeGreaterThan(500);
}, 120_000);

test("the sum of the lines may differ by one cent, inclusive, both ways", () => {
	for (const [subtotal, codes] of [
		["100.00", []],
		["100.01", []],
		["99.99", []],
		["100.010001", ["line-sum"]],
		["100.011", ["line-sum"]],
		["99.989", ["line-sum"]],
		["100.02", ["line-sum"]],
		["99.98", ["line-sum"]],
		["0", ["line-sum"]],
	] as const) {
		const judged = codesOf(["33.333333", "33.333333", "33.333334"], { subtotal, tax: "0", grand_total: subtotal });
		expect([subtotal, judged]).toEqual([subtotal, [...codes]]);
	}
});

test("subtotal and tax make the total exactly", () => {
	for (const [total, codes] of [
		["118", []],
		["118.000000", []],
		["118.01", ["total-sum"]],
		["117.99", ["total-sum"]],
		["118.000001", ["total-sum"]],
		["0", ["total-sum"]],
	] as const) {
		expect([total, codesOf(["100"], { subtotal: "100.00", tax: "18", grand_total: total })]).toEqual([
			total,
			[...codes],
		]);
	}
});

test("a discrepancy states the expected and the received sum and the difference", () => {
	const lines = [{ line_number: 1, description: "x", quantity: "1", unit_price: "1", subtotal: "4500.02" }];
	expect(
		checkTotals({ type: "31", lines, totals: { subtotal: "4500.00", tax: "810.00", grand_total: "5310.01" } }),
	).toEqual([
		{
			pointer: "/totals/subtotal",
			code: "line-sum",
			detail: msg`The sum of line subtotals ${"4500.02"} differs from totals.subtotal ${"4500.00"} by ${"0.02"} (tolerance ${"0.01"}).`,
			expected: "4500.02",
			received: "4500.00",
		},
		{
			pointer: "/totals/grand_total",
			code: "total-sum",
			detail: msg`totals.subtotal plus totals.tax is ${"5310.00"}, not ${"5310.01"}.`,
			expected: "5310.00",
			received: "5310.01",
		},
	]);
});

test("ten lines of a tenth make one, as floats do not", () => {
	expect(codesOf(Array<string>(10).fill("0.1"), { subtotal: "1", tax: "0.18", grand_total: "1.18" })).toEqual([]);
	expect(
		codesOf(["9999999999999999.99"], { subtotal: "9999999999999999.97", tax: "0", grand_total: "9999999999999999.97" }),
	).toEqual(["line-sum"]);
});
