/** Reads the XML variant of an answer into the same plain values that its JSON variant has. */
import { childElements, isXmlElement, OUTSIDE_LIMITS, readXmlText, textOf, type XmlElement } from "../../platform/xml";

export type XmlReading = { readonly root: string; readonly value: unknown };

/** The largest honest answer is a few KiB and five levels deep. */
const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 1024 * 1024, depthMax: 16 };
const XSI = "http://www.w3.org/2001/XMLSchema-instance";

/**
 * An element with children becomes an object of its children, a repeated child an array, any other element its text, and
 * `xsi:nil` null. Undefined for what is not well formed, nests too deeply, or declares a document type: no honest answer has
 * one, and entities are the way to make a small document large or to have it read a file.
 */
export function readXml(text: string): XmlReading | undefined {
	const root = readXmlText(text, LIMITS);
	return isXmlElement(root) ? { root: root.localName, value: toValue(root) } : undefined;
}

function toValue(element: XmlElement): unknown {
	if (element.attributes.some((one) => one.namespace === XSI && one.localName === "nil" && one.value === "true")) {
		return null;
	}
	const children = childElements(element);
	if (children.length === 0) return textOf(element);
	const members = new Map<string, unknown[]>();
	for (const child of children) {
		const values = members.get(child.localName);
		if (values) values.push(toValue(child));
		else members.set(child.localName, [toValue(child)]);
	}
	return Object.fromEntries([...members].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}
