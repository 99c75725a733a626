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

export type RootScope = {
	readonly rootName: string;
	/** Prefix to URI, as spelt in canonical form; without the default namespace, which Signature overrides. */
	readonly namespaces: ReadonlyMap<string, string>;
	/** `xml:` attributes by local name. */
	readonly xmlAttributes: ReadonlyMap<string, string>;
};

const TAG = /^<([^\s<>/"=]+)((?: [^\s<>/"=]+="[^"<]*")*)>/;
const ATTRIBUTE = / ([^\s<>/"=]+)="([^"<]*)"/g;

/** The last root without attributes: documents of one kind follow one another, and a known tag needs no reading. */
let lastBare: { readonly tag: string; readonly scope: RootScope } | undefined;

/** Reads the root's tag at the beginning of a document in canonical form. Throws an Error on anything else. */
export function readRootScope(canonicalXml: string): RootScope {
	if (lastBare && canonicalXml.startsWith(lastBare.tag)) return lastBare.scope;
	const tag = TAG.exec(canonicalXml);
	if (!tag) throw new Error("expected a document in canonical form: its root element first, nothing before it");
	const [, rootName = "", attributes = ""] = tag;
	const scope = readAttributes(rootName, attributes);
	if (attributes === "") lastBare = { tag: tag[0], scope };
	return scope;
}

function readAttributes(rootName: string, attributes: string): RootScope {
	const namespaces = new Map<string, string>();
	const xmlAttributes = new Map<string, string>();
	for (const [, name = "", value = ""] of attributes.matchAll(ATTRIBUTE)) {
		if (name.startsWith("xmlns:")) namespaces.set(name.slice("xmlns:".length), value);
		else if (name.startsWith("xml:")) xmlAttributes.set(name.slice("xml:".length), value);
	}
	return { rootName, namespaces, xmlAttributes };
}

/**
 * The first tag of a subset whose first element has the default namespace `defaultUri` in scope.
 * `added` are declarations between the root and the subset, `attributes` its own, without namespace and already sorted.
 */
export function openSubset(
	name: string,
	scope: RootScope,
	defaultUri: string,
	added: Readonly<Record<string, string>> = {},
	attributes = "",
): string {
	let tag = `<${name} xmlns="${defaultUri}"`;
	const namespaces = new Map([...scope.namespaces, ...Object.entries(added)]);
	for (const prefix of [...namespaces.keys()].sort()) tag += ` xmlns:${prefix}="${namespaces.get(prefix)}"`;
	tag += attributes;
	for (const local of [...scope.xmlAttributes.keys()].sort())
		tag += ` xml:${local}="${scope.xmlAttributes.get(local)}"`;
	return `${tag}>`;
}
