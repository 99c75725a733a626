/** Reads the XML variant of an answer into the same plain values that its JSON variant has. */
import { DOMParser, type Element } from "@xmldom/xmldom";

export type XmlReading = { readonly root: string; readonly value: unknown };

const DEPTH_MAX = 16;
const XSI = "http://www.w3.org/2001/XMLSchema-instance";

/**
 * An element with children becomes an object of its children, a repeated child an array, any other element its text, and
 * `xsi:nil` null. Undefined for what is not well formed, nests too deeply, or declares a document type: no honest answer has
 * one, and entities are the way to make a small document large or to have it read a file.
 */
export function readXml(text: string): XmlReading | undefined {
	if (/<!DOCTYPE/i.test(text)) return undefined;
	let root: Element | null;
	try {
		const refuse = (_level: string, message: string) => {
			throw new SyntaxError(message);
		};
		root = new DOMParser({ onError: refuse }).parseFromString(text, "text/xml").documentElement;
	} catch {
		// Whatever the parser objects to, to us the answer is unreadable.
		return undefined;
	}
	if (!root) return undefined;
	const value = toValue(root, DEPTH_MAX);
	return value === undefined ? undefined : { root: nameOf(root), value };
}

/** The element children of an element, in order. */
export function childElements(element: Element): Element[] {
	return [...element.childNodes].filter((node): node is Element => node.nodeType === node.ELEMENT_NODE);
}

function toValue(element: Element, depth: number): unknown {
	if (depth === 0) return undefined;
	if (element.getAttributeNS(XSI, "nil") === "true") return null;
	const children = childElements(element);
	if (children.length === 0) return element.textContent ?? "";
	const members = new Map<string, unknown[]>();
	for (const child of children) {
		const value = toValue(child, depth - 1);
		if (value === undefined) return undefined;
		members.set(nameOf(child), [...(members.get(nameOf(child)) ?? []), value]);
	}
	return Object.fromEntries([...members].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}

function nameOf(element: Element): string {
	return element.localName ?? element.nodeName;
}
