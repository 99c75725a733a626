/** What the mapping has to say about a request: losses that it can live with, and things that no e-CF can hold. */
import { type Static, Type } from "@sinclair/typebox";
import type { Fault } from "../../platform/problem";
import { Decimal, isXmlText } from "../../platform/values";
import { charactersMax, decimalsMax } from "../format";

/** The document can be made, but something was lost, guessed or looks wrong. Strict callers turn it into a fault. */
export const WarningSchema = Type.Object({
	code: Type.String({ description: "Stable name of the rule." }),
	pointer: Type.String({ description: "JSON pointer into the request." }),
	detail: Type.String({ description: "A sentence." }),
	detailEs: Type.Optional(Type.String({ description: "The sentence in Spanish, where the authority has the rule." })),
	authorityCode: Type.Optional(
		Type.String({
			description:
				"The number that the authority's own message will have, where it gives `verdict`; see `/v1/authority/codes`.",
		}),
	),
	verdict: Type.Optional(
		Type.Union([Type.Literal("rejected"), Type.Literal("conditional")], {
			description:
				"What the authority does with a document that breaks this rule of its own. Absent where it never sees what the rule looks at: of a consumer invoice below 250,000.00 it gets a summary, without lines, adjustments and reference.",
		}),
	),
});
export type Warning = Readonly<Static<typeof WarningSchema>>;

export type Findings = { readonly warnings: Warning[]; readonly faults: Fault[] };

export function newFindings(): Findings {
	return { warnings: [], faults: [] };
}

export function warn(findings: Findings, code: string, pointer: string, detail: string): void {
	findings.warnings.push({ code, pointer, detail });
}

export function fault(findings: Findings, code: string, pointer: string, detail: string): void {
	findings.faults.push({ code, pointer, detail });
}

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
