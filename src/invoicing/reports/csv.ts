/**
 * Lines of CSV. Source: RFC 4180.
 *
 * Spreadsheets take a cell that begins like a formula for one. Texts that callers have chosen get an apostrophe in front of such a beginning; our
 * own amounts, which may begin with a minus sign, are left as they are.
 */

/** Source: OWASP, CSV injection; the wide forms are taken for the same signs. */
const FORMULA = /^[=+\-@\t\r\n\uff0b\uff0d\uff1d\uff20]/;
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** A text of a caller's; empty without one. */
export function textCell(text: string | null): string {
	if (text === null) return "";
	const safe = FORMULA.test(text) ? `'${text}` : text;
	return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** Cells that hold no comma, quotation mark or line's end, or are quoted. */
export function csvLine(cells: readonly (string | number)[]): string {
	return `${cells.join(",")}\r\n`;
}
