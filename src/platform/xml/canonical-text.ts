/**
 * The one spelling that canonical XML has for each character: in text `&amp; &lt; &gt; &#xD;`, in attributes six references.
 * Source: Canonical XML 1.0, section 2.3 (text and attribute nodes).
 */

const TEXT: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", "\r": "&#xD;" };
const ATTRIBUTE: Readonly<Record<string, string>> = {
	"&": "&amp;",
	"<": "&lt;",
	'"': "&quot;",
	"\t": "&#x9;",
	"\n": "&#xA;",
	"\r": "&#xD;",
};

/** A text as the content of an element in canonical XML. */
export function toCanonicalText(text: string): string {
	if (!/[&<>\r]/.test(text)) return text;
	return text.replace(/[&<>\r]/g, (character) => TEXT[character] ?? character);
}

/** A text as the value of an attribute in canonical XML, without its quotation marks. */
export function toCanonicalAttribute(text: string): string {
	return text.replace(/[&<"\t\n\r]/g, (character) => ATTRIBUTE[character] ?? character);
}
