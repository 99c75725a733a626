/** Brings texts and numbers of a request into the forms that elements of the e-CF have, and tells what that cost. */
import { Decimal, isXmlText } from "../../platform/values";
import { charactersMax, decimalsMax } from "../format/ecf";
import { type Findings, fault, warn } from "./findings";

/** Integer digits of an amount. Source: the authority's e-CF format, numbers of 18 digits, 2 of them decimals. */
const INTEGER_DIGITS_MAX = 16;

/**
 * A text cut to what the element holds; undefined when only white space is there, because no element may be empty.
 * Cut between code points: a character of four bytes stays whole.
 */
export function fitText(
	findings: Findings,
	text: string | undefined,
	element: string,
	pointer: string,
): string | undefined {
	if (text === undefined || text.trim() === "") return undefined;
	if (!isXmlText(text)) {
		fault(findings, "text-not-xml", pointer, "Holds a control character or half of a surrogate pair.");
		return undefined;
	}
	const cut = cutText(text, charactersMax(element));
	if (cut.length < text.length) {
		warn(findings, "text-cut", pointer, `Cut to the ${charactersMax(element)} characters that ${element} holds.`);
	}
	return cut;
}

/** The first `max` characters, counted in code points. */
export function cutText(text: string, max: number): string {
	if (text.length <= max) return text;
	let end = 0;
	for (let characters = 0; characters < max && end < text.length; characters++) {
		end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
	}
	return text.slice(0, end);
}

/** A decimal of the wire, rounded half up to what the element holds. */
export function fitDecimal(findings: Findings, text: string, element: string, pointer: string): Decimal {
	const value = Decimal.of(text);
	const decimals = decimalsMax(element);
	const rounded = value.rounded(decimals);
	if (rounded !== value && !rounded.equals(value)) {
		warn(findings, "precision-reduced", pointer, `Rounded from ${text} to the format's ${decimals} decimals.`);
	}
	if (!isPrintable(rounded)) {
		fault(findings, "amount-too-large", pointer, "Has more than 16 digits before the point after rounding.");
	}
	return rounded;
}

/** True when a computed amount has at most 16 digits before its point. */
export function isPrintable(amount: Decimal): boolean {
	return amount.hasIntegerDigitsAtMost(INTEGER_DIGITS_MAX);
}
