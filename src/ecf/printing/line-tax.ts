/**
 * What the paper shows and the document does not hold: the ITBIS of one line, and the sums of the lines on a page.
 *
 * Gap: the e-CF has ITBIS in its totals alone, while its printed form wants it line by line. A line's is its rate of its value, rounded half up; the
 * document's total, which is what counts, may differ from the sum of its lines by cents.
 */
import { Decimal } from "../../platform/values";
import type { PrintableLine } from "./printable";

const RATES: Readonly<Record<string, Decimal>> = { "1": Decimal.of("0.18"), "2": Decimal.of("0.16") };
const ONE = Decimal.of("1");

export type LineTax = { readonly base: Decimal; readonly itbis: Decimal };

/** Base and ITBIS of a line whose value is with or without it. Units: pesos, rounded to cents. */
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

/** Of the lines on one page; what is not billed counts nowhere. */
export function sumLines(lines: readonly PrintableLine[], isIncluded: boolean): LineSums {
	const billed = lines.filter((line) => line.indicator !== "0").map((line) => ({ line, ...taxOf(line, isIncluded) }));
	const isExempt = ({ line }: { line: PrintableLine }) => line.indicator === "4";
	const taxed = Decimal.sum(billed.filter((one) => !isExempt(one)).map(({ base }) => base));
	const exempt = Decimal.sum(billed.filter(isExempt).map(({ base }) => base));
	const itbis = Decimal.sum(billed.map((one) => one.itbis));
	return { taxed, exempt, itbis, total: taxed.plus(exempt).plus(itbis) };
}
