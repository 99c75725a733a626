/** Texts for callers that keep their template, so that the writer of an answer can choose the language. */

/** The languages of problems. Without a preference of the caller's, English. */
export const LANGUAGES = ["en", "es"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What a template takes: a text that is the same in all languages, a number, or another message. */
export type MessageValue = string | number | bigint | Message;

/**
 * A template with its values; `{0}` stands for the first of them. `data/i18n/es.json` holds the template in Spanish, unless `es` is the whole
 * text already. Plain data besides its methods, which write English: a copy by `structuredClone` can still be written in each language.
 */
export class Message {
	readonly template: string;
	readonly values: readonly MessageValue[];
	readonly es?: string;

	constructor(template: string, values: readonly MessageValue[], es?: string) {
		this.template = template;
		this.values = values;
		if (es !== undefined) this.es = es;
	}

	/** A message again from its copy, which has lost the methods. */
	static of({ template, values, es }: Message): Message {
		return new Message(template, values, es);
	}

	toString(): string {
		return fillTemplate(this.template, this.values, writeInEnglish);
	}

	toJSON(): string {
		return this.toString();
	}
}

/** The tag of every text for callers: msg`Body exceeds ${limit} bytes.` A word that differs between languages is a message of its own. */
export function msg(parts: TemplateStringsArray, ...values: readonly MessageValue[]): Message {
	return new Message(parts.map((part, n) => (n === 0 ? part : `{${n - 1}}${part}`)).join(""), values);
}

/** A text that exists in both languages, such as one of the authority's rules. */
export function bilingual(en: string, es: string): Message {
	return new Message("{0}", [en], es);
}

/** Several messages as one text. */
export function joinMessages(messages: readonly Message[], between: string | Message = " "): Message {
	const parts = messages.flatMap((message, n) => (n === 0 ? [message] : [between, message]));
	return new Message(parts.map((_, n) => `{${n}}`).join(""), parts);
}

/** Puts the values in their places; `write` writes each. */
export function fillTemplate(
	template: string,
	values: readonly MessageValue[],
	write: (value: MessageValue) => string,
): string {
	if (values.length === 0) return template;
	return template.replace(/\{(\d+)\}/g, (place, n: string) => {
		const value = values[Number(n)];
		return value === undefined ? place : write(value);
	});
}

function writeInEnglish(value: MessageValue): string {
	return typeof value === "object" ? fillTemplate(value.template, value.values, writeInEnglish) : String(value);
}
