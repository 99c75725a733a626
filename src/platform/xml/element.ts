/** A document after reading: elements, attributes and text. Comments are dropped; references and CDATA have become text. */

export type XmlAttribute = {
	/** As written, including the prefix. */
	readonly name: string;
	readonly localName: string;
	/** Empty for none; an attribute without a prefix has none. */
	readonly namespace: string;
	readonly value: string;
};

export type XmlElement = {
	/** As written, including the prefix. */
	readonly name: string;
	/** Empty for none. */
	readonly prefix: string;
	readonly localName: string;
	/** Empty for none. */
	readonly namespace: string;
	/** In document order, without namespace declarations. */
	readonly attributes: readonly XmlAttribute[];
	/** Prefix to URI, as declared on this element; the empty prefix is the default namespace. */
	readonly declared: ReadonlyMap<string, string>;
	readonly scope: Scope;
	readonly parent: XmlElement | undefined;
	/** Neighbouring texts are joined. */
	readonly children: readonly (XmlElement | string)[];
	/** False when it directly contained a comment or a CDATA section. */
	readonly isPlain: boolean;
};

export function childElements(element: XmlElement): XmlElement[] {
	return element.children.filter((child): child is XmlElement => typeof child !== "string");
}

export function textOf(element: XmlElement): string {
	return element.children.filter((child): child is string => typeof child === "string").join("");
}

/** The value of an attribute without a namespace. */
export function attributeOf(element: XmlElement, localName: string): string | undefined {
	return element.attributes.find((one) => one.localName === localName && one.namespace === "")?.value;
}

export function* descendantsOf(element: XmlElement): Generator<XmlElement> {
	yield element;
	for (const child of element.children) if (typeof child !== "string") yield* descendantsOf(child);
}

/** True for text of XML white space only. */
export function isBlank(text: string): boolean {
	return /^[ \t\r\n]*$/.test(text);
}

/**
 * The meaning of prefixes at a place in a document. A scope is a chain of declarations, not a copy: many elements below many declarations
 * cost nothing extra, and a look-up takes at most as many steps as the document is deep. Source: Namespaces in XML 1.0 (Third Edition);
 * Canonical XML 1.0, section 4.7, on relative names.
 */

export const XML_NAMESPACE = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

/** Without user information and address literals, which no namespace has. Source: RFC 3986, appendix A. */
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

export function enterScope(outer: Scope, declared: ReadonlyMap<string, string>): Scope {
	return declared.size === 0 ? outer : { declared, outer };
}

/** The URI of a prefix; empty for no namespace, undefined for an undeclared prefix. */
export function findNamespace(scope: Scope, prefix: string): string | undefined {
	if (prefix === "xml") return XML_NAMESPACE;
	for (let at: Scope | undefined = scope; at; at = at.outer) {
		const uri = at.declared.get(prefix);
		if (uri !== undefined) return uri;
	}
	return prefix === "" ? "" : undefined;
}

/** Everything in scope, prefix to URI; the nearest declaration wins. */
export function flattenScope(scope: Scope): Map<string, string> {
	const found = new Map<string, string>();
	for (let at: Scope | undefined = scope; at; at = at.outer) {
		for (const [prefix, uri] of at.declared) if (!found.has(prefix)) found.set(prefix, uri);
	}
	return found;
}

/** The prefix that an attribute declares; undefined for an ordinary attribute. */
export function declaredPrefix(attributeName: string): string | undefined {
	if (attributeName === "xmlns") return "";
	return attributeName.startsWith("xmlns:") ? attributeName.slice("xmlns:".length) : undefined;
}

/** Refuses illegal declarations. Throws: XmlRefusal. */
export function checkDeclaration(prefix: string, uri: string): void {
	const refuse = (detail: string) => {
		throw new XmlRefusal("namespace", detail);
	};
	if (prefix === "xmlns" || uri === XMLNS_NAMESPACE) refuse("the prefix xmlns or its namespace is declared");
	if ((prefix === "xml") !== (uri === XML_NAMESPACE))
		refuse("the prefix xml is bound to another namespace, or its to it");
	if (prefix !== "" && uri === "") refuse(`the prefix ${prefix} is declared without a namespace`);
	// Canonical XML has no form for a relative URI; some programs then digest nothing and report a valid signature.
	if (uri !== "" && !ABSOLUTE_URI.test(uri)) refuse(`the namespace ${JSON.stringify(uri)} is no absolute URI`);
}

/** Why a document was refused. */

export type XmlFaultCode =
	/** More bytes, elements, attributes or levels than the limits allow. */
	| "too-large"
	| "too-many-nodes"
	| "too-many-attributes"
	| "too-deep"
	/** Not UTF-8, or declared as another encoding. */
	| "encoding"
	| "illegal-character"
	| "document-type"
	| "processing-instruction"
	/** A reference to an entity: only XML's own five need no document type. */
	| "entity"
	/** A comment within text: some programs continue after it, others stop. */
	| "comment-in-text"
	| "not-well-formed"
	| "content-outside-root"
	| "duplicate-attribute"
	/** An undeclared or reserved prefix, or a namespace that is not an absolute URI. */
	| "namespace";

export type XmlFault = { readonly code: XmlFaultCode; readonly detail: string };

/** Leaves the reader from any depth; the public functions return it as a value. */
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
	/** Per element, including namespace declarations. */
	readonly attributesMax: number;
};
