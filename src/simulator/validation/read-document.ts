/**
 * Reads an uploaded file as XML. It refuses everything that could make the verified document differ from the one that is read: a DOCTYPE, a second
 * root, comments, CDATA, processing instructions, and namespaces and attributes outside the signature, except the usual ones on the root.
 *
 * Quirk: the authority drops white space between elements before it digests. A document signed with indentation fails there, and fails here. The
 * returned tree has that white space removed everywhere, including in the signature.
 */
import { type Attr, DOMParser, type Document, type Element, type Node } from "@xmldom/xmldom";
import { isXmlText } from "../../platform/values";

export const SIGNATURE_NAMESPACE = "http://www.w3.org/2000/09/xmldsig#";

const SCHEMA_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance";
const SCHEMA_LOCATIONS = ["noNamespaceSchemaLocation", "schemaLocation"];

/** Deepest nesting; the deepest published document has nine levels, a signature seven. */
const DEPTH_MAX = 32;

export type ReadDocument = { readonly dom: Document; readonly rootElement: Element; readonly root: XmlElement };

/** A string states what is wrong with the file. */
export function readDocument(bytes: Uint8Array): ReadDocument | string {
	const text = decode(bytes);
	if (text === undefined) return "El archivo no está codificado en UTF-8.";
	const rawFault = findRawFault(text);
	if (rawFault) return rawFault;
	const dom = parse(text);
	if (typeof dom === "string") return dom;
	const rootElement = dom.documentElement;
	if (!rootElement || dom.doctype) return "El archivo no es un XML válido.";
	const isOutside = (node: Node) => node !== rootElement && !isDeclaration(node) && !isSpace(node);
	if (nodesOf(dom).some(isOutside)) return "El XML tiene contenido fuera del elemento raíz.";
	const fault = cleanElement(rootElement, 0, false);
	return fault ?? { dom, rootElement, root: toElement(rootElement) };
}

function decode(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return undefined;
	}
}

/** What the parser accepts although XML or the authority forbids it. */
function findRawFault(text: string): string | undefined {
	if (text.includes("<!DOCTYPE")) return "El XML no puede tener DOCTYPE.";
	if (!isXmlText(text)) return "El XML contiene caracteres no permitidos.";
	if (/&(?!(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});)/.test(text))
		return "El XML contiene un & sin escapar.";
	if (text.includes("]]>")) return "El XML contiene una sección CDATA o ]]> sin escapar.";
	const declared = /^<\?xml[^>]*encoding\s*=\s*["']([^"']*)["']/.exec(text)?.[1];
	if (declared !== undefined && declared.toLowerCase() !== "utf-8") return "El XML debe declarar UTF-8.";
	// Source: the authority's notice of 3 April 2025: these three may stand in a document only as numeric references.
	if (/[©€®]/.test(text)) return "Los caracteres ©, € y ® deben escribirse como referencias numéricas.";
	return undefined;
}

function parse(text: string): Document | string {
	const faults: string[] = [];
	try {
		const onError = (_level: string, message: string) => {
			// Quirk: U+FFFD is a legal character. The parser takes it for the trace of a wrong encoding, which was ruled out before.
			if (!message.startsWith("Unicode replacement character")) faults.push(message.split("\n")[0] ?? message);
		};
		const dom = new DOMParser({ onError }).parseFromString(text, "text/xml");
		if (faults.length === 0) return dom;
	} catch (error) {
		faults.push(error instanceof Error ? error.message : String(error));
	}
	return `El archivo no es un XML válido: ${faults[0]}`;
}

export function nodesOf(parent: Node): Node[] {
	const nodes: Node[] = [];
	for (let node = parent.firstChild; node; node = node.nextSibling) nodes.push(node);
	return nodes;
}

export function isElement(node: Node): node is Element {
	return node.nodeType === node.ELEMENT_NODE;
}

export function isSignature(element: Element): boolean {
	return element.namespaceURI === SIGNATURE_NAMESPACE && element.localName === "Signature";
}

function isDeclaration(node: Node): boolean {
	return node.nodeType === node.PROCESSING_INSTRUCTION_NODE && node.nodeName === "xml";
}

/** XML's white space, which is narrower than JavaScript's: a no-break space is content. */
function isSpace(node: Node): boolean {
	return node.nodeType === node.TEXT_NODE && /^[ \t\r\n]*$/.test(node.nodeValue ?? "");
}

/** Removes white space between elements; a string states why the element cannot be read. */
function cleanElement(element: Element, depth: number, inSignature: boolean): string | undefined {
	if (depth > DEPTH_MAX) return "El XML tiene demasiados niveles.";
	const signed = inSignature || isSignature(element);
	if (!signed) {
		if (element.namespaceURI || element.prefix)
			return `El elemento ${element.nodeName} no puede tener espacio de nombres.`;
		for (const attribute of element.attributes) {
			if (depth > 0 || !isOfRoot(attribute)) return `El atributo ${attribute.name} no está permitido.`;
		}
	}
	const nodes = nodesOf(element);
	if (nodes.some((node) => !isElement(node) && node.nodeType !== node.TEXT_NODE)) {
		return `El elemento ${element.nodeName} contiene comentarios, CDATA o instrucciones de proceso.`;
	}
	const texts = nodes.filter((node) => !isElement(node));
	if (!texts.every((node) => isXmlText(node.nodeValue ?? ""))) return "El XML contiene caracteres no permitidos.";
	if (texts.every(isSpace)) {
		for (const node of texts) element.removeChild(node);
	} else if (texts.length < nodes.length) {
		return `El elemento ${element.nodeName} mezcla texto y elementos.`;
	}
	for (const node of nodes) {
		const fault = isElement(node) ? cleanElement(node, depth + 1, signed) : undefined;
		if (fault) return fault;
	}
	return undefined;
}

/** A namespace or a schema location. Some software writes the latter; every schema allows it. */
function isOfRoot({ name, namespaceURI, localName }: Attr): boolean {
	if (name.startsWith("xmlns:")) return true;
	return namespaceURI === SCHEMA_INSTANCE && SCHEMA_LOCATIONS.includes(localName ?? "");
}

/** Signatures are skipped: `signature.ts` checks their content, and nothing reads it. */
function toElement(element: Element): XmlElement {
	const children = nodesOf(element).filter(isElement);
	const kept = children.filter((child) => !isSignature(child)).map(toElement);
	return { name: element.nodeName, text: children.length > 0 ? "" : (element.textContent ?? ""), children: kept };
}

export type XmlElement = {
	readonly name: string;
	/** Text of a leaf, empty for an element with children. */
	readonly text: string;
	readonly children: readonly XmlElement[];
};

export function childrenNamed(element: XmlElement, name: string): XmlElement[] {
	return element.children.filter((child) => child.name === name);
}

/** The element at a path of names below the given one; the first where names repeat. */
export function elementAt(element: XmlElement, path: string): XmlElement | undefined {
	let at: XmlElement | undefined = element;
	for (const name of path.split("/")) at = at?.children.find((child) => child.name === name);
	return at;
}

export function textAt(element: XmlElement, path: string): string | undefined {
	return elementAt(element, path)?.text;
}
