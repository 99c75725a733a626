/**
 * One document in two spellings: canonical, which is digested, and sent, which travels.
 *
 * Canonical XML spells each character one way: in text `&amp; &lt; &gt; &#xD;`, everything else raw. The authority wants
 * five more characters escaped in what it is sent: `"`, `'`, `©`, `€` and `®`. Three more are escaped because some parsers
 * take them for line breaks: U+0085 and U+2028, a rule of XML 1.1, and U+2029, a rule of nobody. A parser reads both
 * spellings as the same text and canonicalises it back to the first, so the digest over the first holds for the second.
 *
 * Source: Canonical XML 1.0, section 2.3 (text nodes); the authority's e-CF format, October 2025, on characters.
 */

/** What canonical XML leaves raw and is sent as a reference. */
const SENT_TEXT: readonly (readonly [character: string, reference: string])[] = [
	['"', "&quot;"],
	["'", "&apos;"],
	["©", "&#169;"],
	["€", "&#8364;"],
	["®", "&#174;"],
	["\u0085", "&#133;"],
	["\u2028", "&#8232;"],
	["\u2029", "&#8233;"],
];

/** Any of them, also where it stays as it is: most documents of our own hold none, and one look tells. */
const SPELT_OTHERWISE = /["'©€®\u0085\u2028\u2029]/;

/** The sent spelling of canonical XML: tags stay as they are, text between them gets the further references. */
export function toSentForm(canonicalXml: string): string {
	if (!SPELT_OTHERWISE.test(canonicalXml)) return canonicalXml;
	return mapText(canonicalXml, (text) => {
		let sent = text;
		for (const [character, reference] of SENT_TEXT) {
			if (sent.includes(character)) sent = sent.replaceAll(character, reference);
		}
		return sent;
	});
}

/** The canonical spelling of a document in its sent spelling. Other references than ours stay as they are. */
export function fromSentForm(sentXml: string): string {
	if (!sentXml.includes("&")) return sentXml;
	return mapText(sentXml, (text) => {
		let canonical = text;
		for (const [character, reference] of SENT_TEXT) {
			if (canonical.includes(reference)) canonical = canonical.replaceAll(reference, character);
		}
		return canonical;
	});
}

function mapText(xml: string, map: (text: string) => string): string {
	// No attribute anywhere, as in every document of our own: then no tag holds anything that `map` looks for.
	if (!xml.includes('="')) return map(xml);
	return xml.replace(/(<(?:[^">]|"[^"]*")*>)|[^<]+/g, (found, tag) => tag ?? map(found));
}
