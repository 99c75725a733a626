import type { XmlElement } from "./element";
import { invalidField, type Message } from "./judgement";

/** One message for every element without content: an unused element must be left out. */
export function findEmptyElements(root: XmlElement): Message[] {
	if (isEmpty(root)) return [invalidField("64", { field: root.name, area: root.name, section: root.name })];
	return root.children.flatMap((section) => findBelow(section, { area: root.name, section: section.name }));
}

function findBelow(element: XmlElement, place: { area: string; section: string }): Message[] {
	if (isEmpty(element)) return [invalidField("64", { field: element.name, ...place })];
	return element.children.flatMap((child) => findBelow(child, { ...place, area: element.name }));
}

function isEmpty(element: XmlElement): boolean {
	return element.children.length === 0 && element.text === "";
}
