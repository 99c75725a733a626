/** What the mapping reports about a request: losses that it accepts, and things that no e-CF can hold. */
import { type Static, Type } from "@sinclair/typebox";
import { bilingual, type Fault, type Message, msg } from "../../platform/problem";
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
		Type.Union([Type.String(), Type.Array(Type.String())], {
			description: "The value that would pass, or the amounts that would follow, ascending, where the rule knows them.",
		}),
	),
	registryName: Type.Optional(Type.String({ description: "The registry's name of the customer, if it differs." })),
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

/** The messages of warnings. A warning itself is stored and replayed as it was written, in English. */
const messages = new WeakMap<Warning, Message>();

export function createWarning(code: string, pointer: string, message: Message): Warning {
	const warning = { code, pointer, detail: String(message) };
	messages.set(warning, message);
	return warning;
}

/** A warning as a violation, which is written in the caller's language. */
export function toFault(warning: Warning): Fault {
	const { detail, detailEs = detail } = warning;
	return { ...warning, detail: messages.get(warning) ?? bilingual(detail, detailEs) };
}

export function warn(findings: Findings, code: string, pointer: string, message: Message): void {
	findings.warnings.push(createWarning(code, pointer, message));
}

export function fault(findings: Findings, code: string, pointer: string, detail: Message): void {
	findings.faults.push({ code, pointer, detail });
}

/** Integer digits of an amount. Source: the authority's e-CF format, numbers of 18 digits, 2 of them decimals. */
const INTEGER_DIGITS_MAX = 16;

/** A text cut to the length of its element; undefined if it is blank, because no element may be empty. */
export function fitText(
	findings: Findings,
	text: string | undefined,
	element: string,
	pointer: string,
): string | undefined {
	if (text === undefined || text.trim() === "") return undefined;
	if (!isXmlText(text)) {
		fault(findings, "text-not-xml", pointer, msg`Contains a control character or half of a surrogate pair.`);
		return undefined;
	}
	warnOfLostCharacters(findings, text, pointer);
	const cut = cutText(text, charactersMax(element));
	if (cut.length < text.length) {
		warn(findings, "text-cut", pointer, msg`Cut to ${charactersMax(element)} characters, the length of ${element}.`);
	}
	return cut;
}

/** The first `max` UTF-16 units, or one less where that would divide a surrogate pair. */
export function cutText(text: string, max: number): string {
	if (text.length <= max) return text;
	const isPairCut = max > 0 && (text.codePointAt(max - 1) ?? 0) > 0xffff;
	return text.slice(0, isPairCut ? max - 1 : max);
}

/** Two or three characters that are one of Spanish text, its UTF-8 read as Latin-1 or Windows-1252: "Ã±" for "ñ", "â€œ" for a quotation mark. */
const GARBLED =
	/[\u00c2\u00c3][\u0080-\u00bf\u20ac\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u017d\u2018\u201c\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u017e\u0178]|\u00e2[\u0080\u20ac][\u0080-\u00bf\u201c\u201d\u02dc\u2122\u0153\u00a6]/;

/** Warns of characters that an earlier program lost: the document would state them for ever. */
function warnOfLostCharacters(findings: Findings, text: string, pointer: string): void {
	const isNew = (code: string) => !findings.warnings.some((one) => one.code === code && one.pointer === pointer);
	if (GARBLED.test(text) && isNew("text-garbled")) {
		const seen = GARBLED.exec(text)?.[0];
		findings.warnings.push({
			code: "text-garbled",
			pointer,
			detail: `Contains "${seen}", which is one character of UTF-8 read as Latin-1. Send the text as UTF-8.`,
			detailEs: `Contiene "${seen}", que es un carácter de UTF-8 leído como Latin-1. Envíe el texto en UTF-8.`,
		});
	}
	if (text.includes("\ufffd") && isNew("replacement-character")) {
		findings.warnings.push({
			code: "replacement-character",
			pointer,
			detail: "Contains U+FFFD, the mark of a character that an earlier conversion lost.",
			detailEs: "Contiene U+FFFD, la marca de un carácter que una conversión anterior perdió.",
		});
	}
}

/** A decimal of the request, rounded half up to the decimals of its element. */
export function fitDecimal(findings: Findings, text: string, element: string, pointer: string): Decimal {
	const value = Decimal.of(text);
	const decimals = decimalsMax(element);
	const rounded = value.rounded(decimals);
	if (rounded !== value && !rounded.equals(value)) {
		warn(findings, "precision-reduced", pointer, msg`Rounded from ${text} to the format's ${decimals} decimals.`);
	}
	if (!isPrintable(rounded)) {
		fault(findings, "amount-too-large", pointer, msg`Has more than 16 integer digits after rounding.`);
	}
	return rounded;
}

/** True if a computed amount has at most 16 digits before its point. */
export function isPrintable(amount: Decimal): boolean {
	return amount.hasIntegerDigitsAtMost(INTEGER_DIGITS_MAX);
}
