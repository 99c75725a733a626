/** What a document is after reading: elements, attributes and text. Comments are gone, references and CDATA have become text. */

export type XmlAttribute = {
	/** As written, prefix included. */
	readonly name: string;
	readonly localName: string;
	/** Empty for none; an attribute without a prefix has none. */
	readonly namespace: string;
	readonly value: string;
};

export type XmlElement = {
	/** As written, prefix included. */
	readonly name: string;
	/** Empty for none. */
	readonly prefix: string;
	readonly localName: string;
	/** Empty for none. */
	readonly namespace: string;
	/** In document order, without namespace declarations. */
	readonly attributes: readonly XmlAttribute[];
	/** Prefix to URI, as declared on this very element; the empty prefix is the default namespace. */
	readonly declared: ReadonlyMap<string, string>;
	readonly scope: Scope;
	readonly parent: XmlElement | undefined;
	/** Neighbouring texts are one. */
	readonly children: readonly (XmlElement | string)[];
	/** False when a comment or a CDATA section stood directly in it. */
	readonly isPlain: boolean;
};

/** The element children, in order. */
export function childElements(element: XmlElement): XmlElement[] {
	return element.children.filter((child): child is XmlElement => typeof child !== "string");
}

/** The text directly in an element. */
export function textOf(element: XmlElement): string {
	return element.children.filter((child): child is string => typeof child === "string").join("");
}

/** The value of an attribute without a namespace. */
export function attributeOf(element: XmlElement, localName: string): string | undefined {
	return element.attributes.find((one) => one.localName === localName && one.namespace === "")?.value;
}

/** The element and everything below it, in document order. */
export function* descendantsOf(element: XmlElement): Generator<XmlElement> {
	yield element;
	for (const child of element.children) if (typeof child !== "string") yield* descendantsOf(child);
}

/** True for text of nothing but XML's white space. */
export function isBlank(text: string): boolean {
	return /^[ \t\r\n]*$/.test(text);
}

/**
 * Which namespace a prefix means at a place in the document.
 * A scope is a chain of declarations, not a copy of them: many elements below many declarations cost nothing extra, and a look-up
 * takes at most as many steps as the document is deep.
 * Source: Namespaces in XML 1.0 (Third Edition); Canonical XML 1.0, section 4.7, on relative names.
 */

export const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

/** Without a user and without an address in brackets, which no namespace has. Source: RFC 3986, appendix A. */
const CHARACTER = "[\\w.~!$&'()*+,;=-]|%[0-9A-Fa-f]{2}";
const ABSOLUTE_URI = new RegExp(
	`^[A-Za-z][A-Za-z0-9+.-]*:(?://(?:${CHARACTER})+(?::\\d{1,5})?(?=[/?#]|$)|(?!//))` +
		`(?:${CHARACTER}|[:@/])*(?:\\?(?:${CHARACTER}|[:@/?])*)?(?:#(?:${CHARACTER}|[:@/?])*)?$`,
);

export type Scope = {
	readonly declared: ReadonlyMap<string, string>;
	readonly outer: Scope | undefined;
};

const NONE: ReadonlyMap<string, string> = new Map();
export const EMPTY_SCOPE: Scope = { declared: NONE, outer: undefined };

/** The scope inside an element with these declarations. */
export function enterScope(outer: Scope, declared: ReadonlyMap<string, string>): Scope {
	return declared.size === 0 ? outer : { declared, outer };
}

/** The URI of a prefix; empty for no namespace, undefined for a prefix that is not declared. */
export function findNamespace(scope: Scope, prefix: string): string | undefined {
	if (prefix === "xml") return XML_NAMESPACE;
	for (let at: Scope | undefined = scope; at; at = at.outer) {
		const uri = at.declared.get(prefix);
		if (uri !== undefined) return uri;
	}
	return prefix === "" ? "" : undefined;
}

/** Everything in scope, prefix to URI, the nearest declaration first to win. */
export function flattenScope(scope: Scope): Map<string, string> {
	const found = new Map<string, string>();
	for (let at: Scope | undefined = scope; at; at = at.outer) {
		for (const [prefix, uri] of at.declared) if (!found.has(prefix)) found.set(prefix, uri);
	}
	return found;
}

/** The prefix that an attribute declares, undefined when it is an ordinary attribute. */
export function declaredPrefix(attributeName: string): string | undefined {
	if (attributeName === "xmlns") return "";
	return attributeName.startsWith("xmlns:") ? attributeName.slice("xmlns:".length) : undefined;
}

/** Refuses what may not be declared. Throws: XmlRefusal. */
export function checkDeclaration(prefix: string, uri: string): void {
	const refuse = (detail: string) => {
		throw new XmlRefusal("namespace", detail);
	};
	if (prefix === "xmlns" || uri === XMLNS_NAMESPACE) refuse("the prefix xmlns or its namespace is declared");
	if ((prefix === "xml") !== (uri === XML_NAMESPACE))
		refuse("the prefix xml is bound to another namespace, or its to it");
	if (prefix !== "" && uri === "") refuse(`the prefix ${prefix} is declared without a namespace`);
	// Canonical XML has no form for a relative one; some programs then digest nothing at all and call it valid.
	if (uri !== "" && !ABSOLUTE_URI.test(uri)) refuse(`the namespace ${JSON.stringify(uri)} is no absolute URI`);
}

/** Why a document was not read. */

export type XmlFaultCode =
	/** More bytes, elements, attributes or levels than the limits allow. */
	| "too-large"
	| "too-many-nodes"
	| "too-many-attributes"
	| "too-deep"
	/** Not UTF-8, or declared to be something else. */
	| "encoding"
	| "illegal-character"
	| "document-type"
	| "processing-instruction"
	/** A reference to an entity: only XML's own five need no document type. */
	| "entity"
	/** A comment among characters: one program reads on behind it, another stops. */
	| "comment-in-text"
	| "not-well-formed"
	| "content-outside-root"
	| "duplicate-attribute"
	/** A prefix that nobody declared, a reserved one, or a namespace that is no absolute URI. */
	| "namespace";

export type XmlFault = { readonly code: XmlFaultCode; readonly detail: string };

/** Leaves the reader from any depth; its faces give it back as a value. */
export class XmlRefusal extends Error {
	constructor(
		readonly code: XmlFaultCode,
		detail: string,
	) {
		super(detail);
		this.name = "XmlRefusal";
	}
}

export type XmlLimits = {
	readonly bytesMax: number;
	/** Elements, attributes, namespace declarations, texts and comments together. */
	readonly nodesMax: number;
	readonly depthMax: number;
	/** Of one element, namespace declarations included. */
	readonly attributesMax: number;
};
