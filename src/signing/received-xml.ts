/**
 * Signs a small document that somebody else wrote, such as the authority's seed.
 *
 * It comes in any spelling: declaration, byte-order mark, comments, line breaks between elements, empty-element tags,
 * namespace declarations in any order. The authority's verifier loads a document without the white space between elements,
 * so that is dropped first; the rest is brought into canonical form, and from there `signXml` goes on as with our own.
 *
 * Source: Canonical XML 1.0, sections 2.2 (document order), 2.3 (processing model); the authority's signing guide.
 */
import { type Attr, DOMParser, type Element, type Node, ParseError } from "@xmldom/xmldom";
import { toCanonicalAttribute, toCanonicalText } from "./canonical-text";
import type { SigningIdentity } from "./identity";
import { verifyOwnSignature } from "./verify-own";
import { type SignOptions, signXml } from "./xades";

const BYTES_MAX = 64 * 1024;
const DEPTH_MAX = 32;
const XMLNS_NAMESPACE = "http://www.w3.org/2000/xmlns/";

/** What was received is not a small, plain XML document. */
export class ReceivedXmlError extends Error {
	constructor(finding: string, options?: ErrorOptions) {
		super(`the received XML cannot be signed: ${finding}`, options);
		this.name = "ReceivedXmlError";
	}
}

/** Signs a received document and checks the result. Throws a ReceivedXmlError for what cannot be read. */
export function signReceivedXml(text: string, identity: SigningIdentity, options: SignOptions): Uint8Array {
	const signed = signXml(canonicalizeReceived(text), identity, options);
	verifyOwnSignature(signed, identity.certificateDer);
	return signed;
}

/** A received document in canonical form, without comments and without white space between elements. */
export function canonicalizeReceived(text: string): string {
	if (Buffer.byteLength(text) > BYTES_MAX) throw new ReceivedXmlError(`it is longer than ${BYTES_MAX} bytes`);
	return writeElement(parse(text), new Map(), 1);
}

function parse(text: string): Element {
	const withoutMark = text.startsWith("\uFEFF") ? text.slice(1) : text;
	if (/<!(?:DOCTYPE|ENTITY)/i.test(withoutMark)) throw new ReceivedXmlError("it has a document type");
	const parser = new DOMParser({
		// The default also replaces U+0085 and U+2028, which is a rule of XML 1.1.
		normalizeLineEndings: (source) => source.replace(/\r\n?/g, "\n"),
		onError: (level, message) => {
			if (level !== "warning") throw new ReceivedXmlError(String(message));
		},
	});
	try {
		const root = parser.parseFromString(withoutMark, "text/xml").documentElement;
		if (!root) throw new ReceivedXmlError("it has no root element");
		return root;
	} catch (cause) {
		if (cause instanceof ParseError) throw new ReceivedXmlError(cause.message, { cause });
		throw cause;
	}
}

function writeElement(element: Element, inherited: ReadonlyMap<string, string>, depth: number): string {
	if (depth > DEPTH_MAX) throw new ReceivedXmlError(`it is nested deeper than ${DEPTH_MAX} elements`);
	const scope = new Map(inherited);
	const declarations: string[] = [];
	const attributes: Attr[] = [];
	for (const attribute of element.attributes) {
		if (attribute.namespaceURI !== XMLNS_NAMESPACE) attributes.push(attribute);
		else declareNamespace(attribute, scope, declarations);
	}
	declarations.sort((a, b) => compare(prefixOf(a), prefixOf(b)));
	attributes.sort((a, b) => compare(a.namespaceURI ?? "", b.namespaceURI ?? "") || compare(nameOf(a), nameOf(b)));

	let xml = `<${element.tagName}${declarations.join("")}`;
	for (const attribute of attributes) xml += ` ${attribute.name}="${toCanonicalAttribute(attribute.value)}"`;
	xml += ">";
	for (const child of element.childNodes) xml += writeChild(child, scope, depth);
	return `${xml}</${element.tagName}>`;
}

/** A declaration that repeats what is in scope is superfluous and not written. */
function declareNamespace(attribute: Attr, scope: Map<string, string>, declarations: string[]): void {
	const prefix = attribute.name === "xmlns" ? "" : nameOf(attribute);
	if ((scope.get(prefix) ?? "") === attribute.value) return;
	scope.set(prefix, attribute.value);
	declarations.push(` ${attribute.name}="${toCanonicalAttribute(attribute.value)}"`);
}

function writeChild(node: Node, scope: ReadonlyMap<string, string>, depth: number): string {
	switch (node.nodeType) {
		case node.ELEMENT_NODE:
			return writeElement(node as Element, scope, depth + 1);
		case node.TEXT_NODE:
		case node.CDATA_SECTION_NODE: {
			const text = node.nodeValue ?? "";
			return /^[ \t\r\n]*$/.test(text) ? "" : toCanonicalText(text);
		}
		case node.COMMENT_NODE:
			return "";
		default:
			throw new ReceivedXmlError(`it holds a node of type ${node.nodeType}`);
	}
}

const nameOf = (attribute: Attr) => attribute.localName ?? attribute.name;

/** The prefix that ` xmlns:prefix="…"` declares; empty for the default namespace. */
function prefixOf(declaration: string): string {
	return /^ xmlns:?([^=]*)/.exec(declaration)?.[1] ?? "";
}

/** By code point, as canonical XML sorts; `localeCompare` would ask the machine's language. */
function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
