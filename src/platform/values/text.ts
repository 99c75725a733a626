/**
 * Lengths in characters, as JSON Schema and the authority's XML schemas count them: code points. A text has at most as many as UTF-16 units
 * and at least half as many, so counting is rarely needed.
 */

/** True when a text has more characters than `max`. */
export function isLongerThan(text: string, characters: number): boolean {
	return text.length > characters && (text.length > 2 * characters || countCharacters(text) > characters);
}

/** True when a text has fewer characters than `min`. */
export function isShorterThan(text: string, characters: number): boolean {
	return text.length < characters || (text.length < 2 * characters && countCharacters(text) < characters);
}

function countCharacters(text: string): number {
	let characters = 0;
	for (const _ of text) characters++;
	return characters;
}

/**
 * Which text can stand in an XML 1.0 document and in a PostgreSQL `text`; both refuse some code points. Source: XML 1.0 (Fifth Edition)
 * 2.2, production Char. PostgreSQL refuses NUL.
 */
const control = "\\u0000-\\u0008\\u000B\\u000C\\u000E-\\u001F\\uFFFE\\uFFFF";
const loneSurrogate = "[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF])|(?<![\\uD800-\\uDBFF])[\\uDC00-\\uDFFF]";
const illegal = new RegExp(`[${control}]|${loneSurrogate}`);

/** Most texts have none of these and no surrogate pairs; one pass finds out. */
const plain = /^[\t\n\r -\uD7FF\uE000-\uFFFD]*$/;

/** True when every character of the text is legal in XML 1.0, lone surrogates excluded. */
export function isXmlText(text: string): boolean {
	return plain.test(text) || !illegal.test(text);
}

/** One line: no control characters and no line separators. */
export const ONE_LINE_PATTERN = "^[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]*$";

/** A plain address at a host with a domain, matched in one pass; companies do not write to local users of the mail server. */
export const MAILABLE_PATTERN =
	"^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9](-*[A-Za-z0-9])*\\.)+[A-Za-z](-*[A-Za-z0-9])+$";

/** The form of an e-mail address for schemas, without quoting and comments. */
export const EMAIL_PATTERN = "^[^@\\s<>\"',;]{1,64}@[A-Za-z0-9.-]{1,63}\\.[A-Za-z]{2,}$";

/** Beginnings that spreadsheets treat as a formula. Source: OWASP, CSV injection; wide forms count too. */
const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** A cell with a caller's text. An apostrophe in front of a formula disarms it; other amounts stay unchanged. */
export function textCell(text: string | null): string {
	if (text === null) return "";
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line of CSV. The cells need no quoting or are quoted already. Source: RFC 4180. */
export function csvLine(cells: readonly (string | number)[]): string {
	return `${cells.join(",")}\r\n`;
}
