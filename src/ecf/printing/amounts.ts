/** Amounts as they are printed: the document's own digits with separators, never another number. */
import { Decimal } from "../../platform/values";

/** `1234567.5` as `1,234,567.50`: at least two decimals, more where the document has them. Source: the authority's illustrative models. */
export function printAmount(text: string, decimalsMin = 2): string {
	const { sign, whole, fraction } = split(text);
	const padded = fraction.padEnd(decimalsMin, "0");
	return `${sign}${whole.replace(/\B(?=(\d{3})+$)/g, ",")}${padded === "" ? "" : `.${padded}`}`;
}

/** Of an amount that is summed here, in pesos and cents. */
export const printSum = (amount: Decimal): string => printAmount(amount.toFixed(2));

function split(text: string): { sign: string; whole: string; fraction: string } {
	const [, sign = "", whole = "", fraction = ""] = /^(-?)0*(\d+)(?:\.(\d*))?$/.exec(text.trim()) ?? [];
	if (whole === "") throw new RangeError(`expected a decimal, got ${JSON.stringify(text.slice(0, 40))}`);
	return { sign, whole, fraction };
}

/** What a document says of an amount it may leave out. */
export const decimalOf = (text: string | undefined): Decimal => (text === undefined ? Decimal.zero : Decimal.of(text));
