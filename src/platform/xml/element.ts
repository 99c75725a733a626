/** What a document is after reading: elements, attributes and text. Comments are gone, references and CDATA have become text. */
import type { Scope } from "./namespaces";

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
