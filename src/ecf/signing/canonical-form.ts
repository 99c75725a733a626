/**
 * The two spellings of a document, and the namespaces that its root hands down to the pieces of the Signature.
 *
 * The digest covers the canonical spelling: in text `&amp; &lt; &gt; &#xD;`, all other characters raw. In what is sent, the authority requires five
 * more characters to be escaped: `"`, `'`, `©`, `€` and `®`. Three more are escaped because some parsers treat them as line breaks: U+0085, U+2028
 * and U+2029. A parser reads both spellings as the same text and canonicalises it back, so the digest holds for both.
 *
 * SignedInfo and SignedProperties are digested as document subsets. Inclusive canonicalisation then writes every namespace declaration in scope, and
 * every `xml:` attribute of an ancestor, on their first tag. A seed declares `xsi` and `xsd` on its root, so a digest over the bare piece would be
 * wrong.
 *
 * Source: Canonical XML 1.0, sections 2.3 and 2.4; the authority's e-CF format, October 2025, on characters.
 */

/** Characters that canonical XML leaves raw and that are sent as references. */
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

/** Most of our own documents have none of them, so one test suffices. */
const SPELT_OTHERWISE = /["'©€®\u0085\u2028\u2029]/;

/** The sent spelling of canonical XML: tags stay as they are, text gets the additional references. */
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

/** The canonical spelling of a sent document. Other references stay as they are. */
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
	// Our own documents have no attributes, so no tag contains anything that `map` replaces.
	if (!xml.includes('="')) return map(xml);
	return xml.replace(/(<(?:[^">]|"[^"]*")*>)|[^<]+/g, (found, tag) => tag ?? map(found));
}

export type RootScope = {
	readonly rootName: string;
	/** Prefix to URI, in canonical spelling, without the default namespace, which Signature overrides. */
	readonly namespaces: ReadonlyMap<string, string>;
	/** `xml:` attributes by local name. */
	readonly xmlAttributes: ReadonlyMap<string, string>;
};

const TAG = /^<([^\s<>/"=]+)((?: [^\s<>/"=]+="[^"<]*")*)>/;
const ATTRIBUTE = / ([^\s<>/"=]+)="([^"<]*)"/g;

/** The last root without attributes. Documents of one kind follow each other, and a known tag needs no parsing. */
let lastBare: { readonly tag: string; readonly scope: RootScope } | undefined;

/** Reads the root tag at the beginning of a document in canonical form. Throws an Error for anything else. */
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
 * The first tag of a subset whose first element has the default namespace `defaultUri` in scope. `added` are declarations between the root and the
 * subset; `attributes` are its own, sorted and without namespace.
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
