/**
 * A value as JSON text from which PostgreSQL can make `text`: a NUL character and half a surrogate pair, which it cannot store,
 * become U+FFFD. Pass it as `${toJsonText(rows)}::text::json`; the driver would otherwise write it as JSON a second time.
 */
export function toJsonText(value: unknown): string {
	return JSON.stringify(value, (_, member) => (typeof member === "string" ? toStorable(member) : member));
}

function toStorable(text: string): string {
	return text.replaceAll("\0", "\uFFFD").toWellFormed();
}
