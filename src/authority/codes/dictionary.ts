/**
 * Explanations of the authority's codes. The authority publishes no list: its description of the services has 0 to 4, and the others were
 * observed in live answers. `estado` and `codigo` decide. A remark's code only explains, and an unknown one is passed on as it is.
 */

import { Type } from "@sinclair/typebox";
import type { Warning } from "../../ecf/mapping";
import type { Language } from "../../platform/problem";
import type { AuthorityMessage } from "../client";
import { amountCodes } from "./amount-codes";
import type { CodeEntry } from "./code-entry";
import { referenceCodes } from "./reference-codes";
import { fieldCodes, resultCodes, sequenceCodes, technicalCodes } from "./result-codes";

const entries: ReadonlyMap<string, CodeEntry> = new Map<string, CodeEntry>([
	...Object.entries(resultCodes),
	...Object.entries(sequenceCodes),
	...Object.entries(referenceCodes),
	...Object.entries(fieldCodes),
	...Object.entries(amountCodes),
	...Object.entries(technicalCodes),
]);

/** Undefined for an unknown code, including names that every object has. */
export function findCode(code: string): CodeEntry | undefined {
	return entries.get(code);
}

/** Every known code, the verdicts first, then by number. */
export function listCodes(): string[] {
	// 004 is a remark and comes after the verdict 4.
	const order = (code: string) => Number(code) + (code.startsWith("00") ? 0.5 : 0);
	return [...entries.keys()].sort((a, b) => order(a) - order(b));
}

export type Explanation =
	| {
			readonly code: string;
			readonly known: true;
			readonly title: string;
			readonly title_es: string;
			readonly category: CodeEntry["category"];
			readonly sequenceConsumed: boolean | null;
			readonly retryable: boolean;
			readonly cause: string;
			readonly fix: string;
			readonly fields: readonly string[];
			readonly source: CodeEntry["source"];
	  }
	/** The authority may use unknown codes; they are passed on as they are. */
	| { readonly code: string; readonly known: false };

export function explainCode(code: string, language: Language = "en"): Explanation {
	const entry = findCode(code);
	if (!entry) return { code, known: false };
	const { category, sequenceConsumed, retryable, fields, source } = entry;
	return {
		code,
		known: true,
		title: entry.title[language],
		title_es: entry.title.es,
		category,
		sequenceConsumed,
		retryable,
		cause: entry.cause[language],
		fix: entry.fix[language],
		fields: fields.map((field) => field.pointer),
		source,
	};
}

/** Every known code, the verdicts first, then by number. */
export function explainAll(language: Language = "en"): Explanation[] {
	return listCodes().map((code) => explainCode(code, language));
}

/** One operation of a JSON patch, which applies to the request of the rejected document as it is stored. Source: RFC 6902. */
export type Fix = { readonly op: "replace"; readonly path: string; readonly value: string };

/** A place of the request that needs a decision, and what is expected there. */
export type Advice = { readonly pointer: string; readonly detail: string; readonly detailEs: string };

export type Correction = { readonly fix: readonly Fix[]; readonly advice: readonly Advice[] };

/** A rejection has up to a hundred remarks; the first corrections are enough. */
const CORRECTIONS_MAX = 10;
const LINE = /\bl[ií]nea\s+(\d{1,5})\b/i;

/** The broken rules with one right value, and the patch that puts it there. */
export const PATCHES: Readonly<Record<string, (warning: Warning) => Fix | undefined>> = {
	"reference-date": ({ expected }) =>
		typeof expected === "string" ? { op: "replace", path: "/reference/issue_date", value: expected } : undefined,
};

/**
 * What a rejection asks for: first what its own code does, then its other remarks. `warnings` are those that the document was issued with. A
 * warning that foretold a remark says more than its code, and some leave only one correction. A remark on a line names the line, which is
 * numbered by its place in the request.
 */
export function correctionOf(
	code: string,
	messages: readonly AuthorityMessage[] = [],
	warnings: readonly Warning[] = [],
): Correction {
	const own = messages.some((message) => message.code === code) ? [] : [{ code, text: "" }];
	const ordered = [...own, ...messages].sort((a, b) => Number(b.code === code) - Number(a.code === code));
	const codes = ordered.map((remark) => remark.code);
	const foretold = warnings.filter(
		({ verdict, authorityCode }) =>
			verdict === "rejected" && (authorityCode === undefined || codes.includes(authorityCode)),
	);
	const isForetold = (remarkCode: string) => foretold.some(({ authorityCode }) => authorityCode === remarkCode);
	const patched = foretold.map((warning) => ({ warning, patch: PATCHES[warning.code]?.(warning) }));
	const fixes = new Map(patched.flatMap(({ patch }) => (patch ? [[patch.path, patch] as const] : [])));
	const advice = new Map<string, Advice>();
	for (const { warning, patch } of patched) {
		const { pointer, detail, detailEs = detail } = warning;
		if (!patch) advice.set(pointer, { pointer, detail, detailEs });
	}
	for (const remark of ordered.filter((one) => !isForetold(one.code))) {
		for (const { pointer, put } of findCode(remark.code)?.fields ?? []) {
			const place = toPlace(pointer, remark.text);
			if (advice.has(place) || fixes.has(place)) continue;
			advice.set(place, { pointer: place, detail: `Expected: ${put.en}.`, detailEs: `Se espera: ${put.es}.` });
		}
	}
	return { fix: [...fixes.values()], advice: [...advice.values()].slice(0, CORRECTIONS_MAX) };
}

function toPlace(pointer: string, text: string): string {
	const line = Number(LINE.exec(text)?.[1] ?? 0);
	return pointer === "/lines" && line > 0 ? `/lines/${line - 1}` : pointer;
}

export const FixSchema = Type.Object({
	op: Type.String({ description: "`replace`." }),
	path: Type.String({ description: "A member of the request, as a JSON pointer." }),
	value: Type.String({ description: "The new value." }),
});

export const AdviceSchema = Type.Object({
	pointer: Type.String({ description: "A member of the request, as a JSON pointer." }),
	detail: Type.String({ description: "What is expected there." }),
	detailEs: Type.String({ description: "The same in Spanish." }),
});
