/** What the mapping reports about a request: losses that it accepts, and things that no e-CF can hold. */
import { type Static, Type } from "@sinclair/typebox";
import type { Fault } from "../../platform/problem";
import { Decimal, isXmlText } from "../../platform/values";
import { charactersMax, decimalsMax } from "../format";

/** The document can be written, but something was lost, guessed or looks wrong. In strict mode it is a fault. */
export const WarningSchema = Type.Object({
	code: Type.String({ description: "Stable name of the rule." }),
	pointer: Type.String({ description: "JSON pointer into the request." }),
	detail: Type.String({ description: "A sentence in English." }),
	detailEs: Type.Optional(Type.String({ description: "The sentence in Spanish, for rules of the authority." })),
	authorityCode: Type.Optional(
		Type.String({
			description:
				"Number of the authority's message for this rule, if there is a `verdict`. See `/v1/authority/codes`.",
		}),
	),
	expected: Type.Optional(
		Type.Array(Type.String(), { description: "The amounts that would follow, ascending, if it is about an amount." }),
	),
	verdict: Type.Optional(
		Type.Union([Type.Literal("rejected"), Type.Literal("conditional")], {
			description:
				"What the authority does with a document that breaks this rule. Absent if the authority does not see the relevant members: for a consumer invoice below 250,000.00 it gets a summary without lines, adjustments and reference.",
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

/** A text cut to the length of its element; undefined if it is blank, because no element may be empty. The cut falls between code points. */
export function fitText(
	findings: Findings,
	text: string | undefined,
	element: string,
	pointer: string,
): string | undefined {
	if (text === undefined || text.trim() === "") return undefined;
	if (!isXmlText(text)) {
		fault(findings, "text-not-xml", pointer, "Contains a control character or half of a surrogate pair.");
		return undefined;
	}
	const cut = cutText(text, charactersMax(element));
	if (cut.length < text.length) {
		warn(findings, "text-cut", pointer, `Cut to ${charactersMax(element)} characters, the length of ${element}.`);
	}
	return cut;
}

/** The first `max` code points. */
export function cutText(text: string, max: number): string {
	if (text.length <= max) return text;
	let end = 0;
	for (let characters = 0; characters < max && end < text.length; characters++) {
		end += (text.codePointAt(end) ?? 0) > 0xffff ? 2 : 1;
	}
	return text.slice(0, end);
}

/** A decimal of the request, rounded half up to the decimals of its element. */
export function fitDecimal(findings: Findings, text: string, element: string, pointer: string): Decimal {
	const value = Decimal.of(text);
	const decimals = decimalsMax(element);
	const rounded = value.rounded(decimals);
	if (rounded !== value && !rounded.equals(value)) {
		warn(findings, "precision-reduced", pointer, `Rounded from ${text} to the format's ${decimals} decimals.`);
	}
	if (!isPrintable(rounded)) {
		fault(findings, "amount-too-large", pointer, "Has more than 16 integer digits after rounding.");
	}
	return rounded;
}

/** True if a computed amount has at most 16 digits before its point. */
export function isPrintable(amount: Decimal): boolean {
	return amount.hasIntegerDigitsAtMost(INTEGER_DIGITS_MAX);
}
