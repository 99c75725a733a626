/** Looks the authority's codes up, in the form in which they are told to callers. */
import { type CodeEntry, errorCodes } from "./error-codes";

export const LANGUAGES = ["en", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

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

const entries: ReadonlyMap<string, CodeEntry> = new Map(Object.entries(errorCodes));

export function explainCode(code: string, language: Language = "en"): Explanation {
	const entry = entries.get(code);
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
		fields,
		source,
	};
}

/** Every known code, the verdicts first, then by number. */
export function explainAll(language: Language = "en"): Explanation[] {
	// JavaScript lists number-like names first and in order, which would put 004 last.
	const order = (code: string) => Number(code) + (code.startsWith("00") ? 0.5 : 0);
	return [...entries.keys()].sort((a, b) => order(a) - order(b)).map((code) => explainCode(code, language));
}
