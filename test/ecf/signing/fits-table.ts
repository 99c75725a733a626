/** Judges a written document by the element table, without the authority's schemas: an examination that always can be held. */
import { DOMParser, type Element as XmlElement } from "@xmldom/xmldom";
import type { Element } from "../../../src/ecf/format/element";
import type { EcfType } from "../../../src/ecf/mapping";

/** A character that looks like one that was lost is worth a warning to the parser, and none to us. */
export function onError(level: string, message: string): void {
	if (level !== "warning") throw new Error(message);
}

/** What is wrong with the document; the Signature is not looked at. */
export function findUnfit(xml: string, table: Element, type: EcfType): string[] {
	const root = new DOMParser({ onError }).parseFromString(xml, "text/xml").documentElement;
	return root && root.localName === table.name ? [...judge(root, table, type, "")] : ["another root"];
}

function* judge(element: XmlElement, table: Element, type: EcfType, parent: string): Iterable<string> {
	const path = `${parent}/${table.name}`;
	const given = Array.from(element.childNodes).filter(
		(node): node is XmlElement => node.nodeType === 1 && node.localName !== "Signature",
	);
	if (table.form) {
		const text = element.textContent ?? "";
		if (given.length > 0 || !table.form.pattern.test(text)) yield `${path} is ${JSON.stringify(text)}`;
		if (text.length > (table.form.charactersMax ?? Number.POSITIVE_INFINITY)) yield `${path} is too long`;
		return;
	}
	if (given.length === 0) yield `${path} is empty`;
	let next = 0;
	for (const child of table.children) {
		const presence = child.presence[type];
		const from = next;
		while (given[next]?.localName === child.name) next++;
		if (next > from && !presence) yield `${path}/${child.name} must not appear`;
		if (next === from && presence === "M") yield `${path}/${child.name} is missing`;
		if (next - from > child.most(type)) yield `${path}/${child.name} appears ${next - from} times`;
		for (const one of given.slice(from, next)) yield* judge(one, child, type, path);
	}
	if (next < given.length) yield `${path}/${given[next]?.localName} stands in the wrong place`;
}
