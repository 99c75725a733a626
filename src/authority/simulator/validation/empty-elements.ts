import type { XmlElement } from "./element";
import { type Message, invalidField } from "./judgement";

/** One message for every element without content: an unused element must be left out. */
export function findEmptyElements(root: XmlElement, section = root.name): Message[] {
	if (root.children.length > 0) {
		return root.children.flatMap((child) => findEmptyElements(child, section === root.name ? child.name : section));
	}
	return root.text === "" ? [invalidField("64", { field: root.name, area: section, section })] : [];
}
