/**
 * Writes messages and the documents of problems in the caller's language. Only the writers of answers choose it. None of this belongs to `Problem`
 * itself, which pages in browsers load too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { catalogue } from "./catalogue";
import { fillTemplate, LANGUAGES, type Language, type Message } from "./message";
import type { Problem } from "./problem";

let spanish: Readonly<Record<string, string>> | undefined;

/** A template, title or cause in Spanish; itself when it has no words. Read at the first use. */
function toSpanish(template: string): string {
	spanish ??= readSpanish();
	return spanish[template] ?? template;
}

function readSpanish(): Record<string, string> {
	return JSON.parse(readFileSync(join(import.meta.dir, "../../../data/i18n/es.json"), "utf8"));
}

/** A text without values: a title, a cause or a fix. */
export function translate(text: string, language: Language): string {
	return language === "es" ? toSpanish(text) : text;
}

export function writeMessage({ template, values, es }: Message, language: Language): string {
	if (language === "es" && es !== undefined) return es;
	return fillTemplate(translate(template, language), values, (value) =>
		typeof value === "object" ? writeMessage(value, language) : String(value),
	);
}

/** Where a problem occurred, and for whom it is written. */
export type ProblemContext = {
	readonly baseUrl: string;
	readonly instance: string;
	readonly requestId: string;
	/** Absent without tracing. */
	readonly traceId?: string | undefined;
	/** Default: English. */
	readonly language?: Language | undefined;
};

/** Source: RFC 9457, section 3. */
export function toProblemDocument(
	{ slug, detail, faults, extensions }: Problem,
	{ baseUrl, instance, requestId, traceId, language = "en" }: ProblemContext,
): Record<string, unknown> {
	const { status, title } = catalogue[slug];
	const errors = faults.map((fault) => ({ ...fault, detail: writeMessage(fault.detail, language) }));
	return {
		type: `${baseUrl}/errors/${slug}`,
		title: translate(title, language),
		status,
		detail: writeMessage(detail, language),
		instance,
		requestId,
		...(traceId === undefined ? {} : { traceId }),
		...(errors.length > 0 ? { errors } : {}),
		...extensions,
	};
}

/**
 * The language that an `Accept-Language` header prefers among ours; `otherwise` if it names neither. Regions are ignored.
 * Source: RFC 9110, 12.5.4.
 */
export function chooseLanguage(header: string | null, otherwise: Language = "en"): Language {
	if (header === null) return otherwise;
	let chosen = otherwise;
	let best = 0;
	for (const range of header.slice(0, 500).split(",")) {
		const [tag = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const language = LANGUAGES.find((candidate) => tag === candidate || tag.startsWith(`${candidate}-`));
		const quality = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
		// Among equal qualities the first one wins.
		if (language && Number(quality) > best) {
			chosen = language;
			best = Number(quality);
		}
	}
	return chosen;
}
