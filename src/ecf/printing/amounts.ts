/**
 * Amounts as they are printed: the document's own digits with separators. The ITBIS of a line and the sums of a page are computed here, because the
 * e-CF has neither.
 *
 * Gap: the e-CF states ITBIS only in its totals, while its printed form requires it line by line. It is the line's rate of its value, rounded half
 * up. The document's total is authoritative and may differ from the sum of the lines by cents.
 */
import { Decimal } from "../../platform/values";
import type { PrintableLine } from "./printable";

/** `1234567.5` as `1,234,567.50`: at least two decimals, more if the document has them. Source: the authority's illustrative models. */
export function printAmount(text: string, decimalsMin = 2): string {
	const { sign, whole, fraction } = split(text);
	const padded = fraction.padEnd(decimalsMin, "0");
	return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${padded === "" ? "" : `.${padded}`}`;
}

/** A sum computed here, in pesos and cents. */
export const printSum = (amount: Decimal): string => printAmount(amount.toFixed(2));

function split(text: string): { sign: string; whole: string; fraction: string } {
	const [, sign = "", whole = "", fraction = ""] = /^(-?)0*(\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
	if (whole === "") throw new RangeError(`expected a decimal, got ${JSON.stringify(text.slice(0, 40))}`);
	return { sign, whole, fraction };
}

/** An amount that a document may leave out. */
export const decimalOf = (text: string | undefined): Decimal => (text === undefined ? Decimal.zero : Decimal.of(text));

const RATES: Readonly<Record<string, Decimal>> = { "1": Decimal.of("0.18"), "2": Decimal.of("0.16") };
const ONE = Decimal.of("1");

export type LineTax = { readonly base: Decimal; readonly itbis: Decimal };

/** Base and ITBIS of a line whose value includes or excludes it. Units: pesos, rounded to cents. */
export function taxOf(line: PrintableLine, isIncluded: boolean): LineTax {
	const amount = Decimal.of(line.amount);
	const rate = RATES[line.indicator];
	if (!rate) return { base: amount, itbis: Decimal.zero };
	if (!isIncluded) return { base: amount, itbis: amount.times(rate).rounded(2) };
	const base = amount.dividedBy(ONE.plus(rate), 2);
	return { base, itbis: amount.minus(base) };
}

export type LineSums = {
	readonly taxed: Decimal;
	readonly exempt: Decimal;
	readonly itbis: Decimal;
	readonly total: Decimal;
};

/** Sums of the lines on one page; lines that are not billed do not count. */
export function sumLines(lines: readonly PrintableLine[], isIncluded: boolean): LineSums {
	const billed = lines.filter((line) => line.indicator !== "0").map((line) => ({ line, ...taxOf(line, isIncluded) }));
	const isExempt = ({ line }: { line: PrintableLine }) => line.indicator === "4";
	const taxed = Decimal.sum(billed.filter((one) => !isExempt(one)).map(({ base }) => base));
	const exempt = Decimal.sum(billed.filter(isExempt).map(({ base }) => base));
	const itbis = Decimal.sum(billed.map((one) => one.itbis));
	return { taxed, exempt, itbis, total: taxed.plus(exempt).plus(itbis) };
}
