/** The document as the rules read it: elements and text by absolute path, without what a signature leaves unsigned. */

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
