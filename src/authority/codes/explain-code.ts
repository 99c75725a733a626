/** Explains the authority's codes in the form in which they are told to callers. */
import type { CodeEntry } from "./code-entry";
import { findCode, listCodes } from "./dictionary";
import type { Language } from "./language";

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
	/** The authority may use codes that nobody has written down: they are passed on as they are. */
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
