/**
 * What the root element hands down to the pieces of its Signature.
 *
 * SignedInfo and SignedProperties are digested as subsets of the document. Inclusive canonicalisation then writes on their
 * first tag every namespace declaration in scope and every `xml:` attribute of an ancestor, although the document does not
 * repeat them there. A seed declares `xsi` and `xsd` on its root, so a digest over the bare piece would be wrong.
 *
 * Source: Canonical XML 1.0, sections 2.3 and 2.4 (document subsets).
 */

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
