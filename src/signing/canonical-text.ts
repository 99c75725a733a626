/**
 * One document in two spellings: canonical, which is digested, and sent, which travels.
 *
 * Canonical XML spells each character one way: in text `&amp; &lt; &gt; &#xD;`, everything else raw. The authority wants
 * five more characters escaped in what it is sent: `"`, `'`, `©`, `€` and `®`. A parser reads both spellings as the same
 * text and canonicalises it back to the first, so the digest over the first holds for the second.
 *
 * Source: Canonical XML 1.0, section 2.3 (text and attribute nodes); the authority's e-CF format, October 2025, on characters.
 */

const CANONICAL_TEXT: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" };
const CANONICAL_ATTRIBUTE: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	'"': "&quot;",
	"\t": "&#x9;",
	"\n": "&#xA;",
	"\r": "&#xD;",
};
const SENT_TEXT: Readonly<Record<string, string>> = {
	'"': "&quot;",
	"'": "&apos;",
	"©": "&#169;",
	"€": "&#8364;",
	"®": "&#174;",
};

const spell = (table: Readonly<Record<string, string>>) => (character: string) => table[character] ?? character;

/** A text as the content of an element in canonical XML. */
export function toCanonicalText(text: string): string {
	return /[&<>\r]/.test(text) ? text.replace(/[&<>\r]/g, spell(CANONICAL_TEXT)) : text;
}

/** A text as the value of an attribute in canonical XML, without its quotation marks. */
export function toCanonicalAttribute(text: string): string {
	return text.replace(/[&<"\t\n\r]/g, spell(CANONICAL_ATTRIBUTE));
}

/** The sent spelling of canonical XML: tags stay as they are, text between them gets the further references. */
export function toSentForm(canonicalXml: string): string {
	if (!/["'©€®]/.test(canonicalXml)) return canonicalXml;
	return canonicalXml.replace(/<(?:[^">]|"[^"]*")*>|["'©€®]/g, (found) =>
		found.startsWith("<") ? found : (SENT_TEXT[found] ?? found),
	);
}
