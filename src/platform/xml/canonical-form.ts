/**
 * Canonical XML of an element and its content: the bytes that signatures cover.
 *
 * Two methods. Inclusive: an element within a document includes every namespace in scope and every `xml:` attribute of its ancestors.
 * Exclusive: an element declares what it uses, where it is first used. Both omit comments, which the reader has dropped; processing
 * instructions and document types do not exist here.
 *
 * No library, because the available one forgets the `xml:` attributes of ancestors and works on another reader's tree. Quirk: names sort by
 * code points, while strings compare by code units, which puts U+E000 to U+FFFF after the astral planes.
 *
 * Source: Canonical XML 1.0, sections 2.2 to 2.4; Exclusive XML Canonicalization 1.0, section 3, without a prefix list.
 */
import {
	EMPTY_SCOPE,
	enterScope,
	findNamespace,
	flattenScope,
	isBlank,
	type Scope,
	XML_NAMESPACE,
	type XmlAttribute,
	type XmlElement,
} from "./element";

export type CanonicalMethod = "inclusive" | "exclusive";

type CanonicalOptions = {
	readonly method?: CanonicalMethod;
	/** An element to omit, with its content. */
	readonly without?: XmlElement | undefined;
	/** Omits texts of white space only, like a program that loads a document without them. */
	readonly dropsBlanks?: boolean;
};

/** The canonical form as text; its bytes are its UTF-8. */
export function canonicalize(element: XmlElement, options: CanonicalOptions = {}): string {
	const parts: string[] = [];
	const method = options.method ?? "inclusive";

	/** `rendered` holds what ancestors in the output have declared. */
	function write(one: XmlElement, rendered: Scope, isApex: boolean): void {
		if (one === options.without) return;
		const wanted = method === "exclusive" ? usedNamespaces(one) : isApex ? flattenScope(one.scope) : one.declared;
		const declarations = new Map(
			[...wanted].filter(([prefix, uri]) => (findNamespace(rendered, prefix) ?? "") !== uri),
		);
		const attributes = method === "inclusive" && isApex ? withInherited(one) : one.attributes;
		parts.push(`<${one.name}${writeDeclarations(declarations)}${writeAttributes(attributes)}>`);
		const inside = enterScope(rendered, declarations);
		for (const child of one.children) {
			if (typeof child !== "string") write(child, inside, false);
			else if (!options.dropsBlanks || !isBlank(child)) parts.push(toCanonicalText(child));
		}
		parts.push(`</${one.name}>`);
	}
	write(element, EMPTY_SCOPE, true);
	return parts.join("");
}

/** Namespaces that the names of an element and its attributes use. */
function usedNamespaces(element: XmlElement): ReadonlyMap<string, string> {
	const used = new Map([[element.prefix, element.namespace]]);
	for (const { name, localName, namespace } of element.attributes) {
		if (namespace !== "") used.set(name.slice(0, -localName.length - 1), namespace);
	}
	used.delete("xml");
	return used;
}

/** The attributes of the first element of a subset, plus the nearest inherited `xml:` ones. */
function withInherited(element: XmlElement): readonly XmlAttribute[] {
	const found = new Map<string, XmlAttribute>();
	for (let at: XmlElement | undefined = element; at; at = at.parent) {
		for (const attribute of at.attributes) {
			if (attribute.namespace === XML_NAMESPACE && !found.has(attribute.localName)) {
				found.set(attribute.localName, attribute);
			}
		}
	}
	return [...element.attributes.filter((one) => one.namespace !== XML_NAMESPACE), ...found.values()];
}

function writeDeclarations(declarations: ReadonlyMap<string, string>): string {
	if (declarations.size === 0) return "";
	return [...declarations]
		.sort(([a], [b]) => compareCodePoints(a, b))
		.map(([prefix, uri]) => ` ${prefix === "" ? "xmlns" : `xmlns:${prefix}`}="${toCanonicalAttribute(uri)}"`)
		.join("");
}

function writeAttributes(attributes: readonly XmlAttribute[]): string {
	if (attributes.length === 0) return "";
	return attributes
		.toSorted((a, b) => compareCodePoints(a.namespace, b.namespace) || compareCodePoints(a.localName, b.localName))
		.map((attribute) => ` ${attribute.name}="${toCanonicalAttribute(attribute.value)}"`)
		.join("");
}

/** Order by Unicode code points. */
export function compareCodePoints(a: string, b: string): number {
	const length = Math.min(a.length, b.length);
	for (let i = 0; i < length; i++) {
		const [x, y] = [a.charCodeAt(i), b.charCodeAt(i)];
		if (x !== y) return rank(x) - rank(y);
	}
	return a.length - b.length;
}

/** Maps code units to the order of the code points that they begin. */
function rank(unit: number): number {
	if (unit >= 0xe000) return unit - 0x800;
	return unit >= 0xd800 ? unit + 0x2000 : unit;
}

/**
 * The escapes of canonical XML: in text `&amp; &lt; &gt; &#xD;`, in attributes six references. Source: Canonical XML 1.0, section 2.3 (text
 * and attribute nodes).
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

export function toCanonicalText(text: string): string {
	if (!/[&<>\r]/.test(text)) return text;
	return text.replace(/[&<>\r]/g, (character) => TEXT[character] ?? character);
}

/** A text as an attribute value in canonical XML, without quotation marks. */
export function toCanonicalAttribute(text: string): string {
	return text.replace(/[&<"\t\n\r]/g, (character) => ATTRIBUTE[character] ?? character);
}
