/**
 * Does a document of somebody else have the e-CF's form? The same table that ours are written by, read the other way.
 *
 * Liberal where the authority is: `Version` is a number, so `1` and `1.00` are `1.0`; white space around a code or an amount does not count.
 * The first fault is told, with the place of its element.
 */
import { childElements, isBlank, textOf, type XmlElement } from "../../platform/xml";
import type { EcfType } from "../types";
import { ECF } from "./ecf";
import type { Element } from "./element";

/** What is wrong with a document without its Signature; undefined when nothing is. */
export function findFormatFault(root: XmlElement, type: EcfType): string | undefined {
	if (root.localName !== ECF.name || root.namespace !== "")
		return `the document is a ${root.localName}, not an ${ECF.name}`;
	return findFault(root, ECF, type, "");
}

function findFault(found: XmlElement, expected: Element, type: EcfType, above: string): string | undefined {
	const place = `${above}/${expected.name}`;
	const { form } = expected;
	const children = childElements(found);
	if (form) {
		if (children.length > 0) return `${place} holds elements`;
		return fits(textOf(found), expected) ? undefined : `${place} does not have its form`;
	}
	if (!isBlank(textOf(found))) return `${place} holds text between its elements`;
	let at = 0;
	for (const element of expected.children) {
		const presence = element.presence[type];
		if (!presence) continue;
		let count = 0;
		for (let child = children[at]; child && isCalled(child, element.name); child = children[++at]) {
			if (++count > element.most(type)) return `${place}/${element.name} comes too often`;
			const fault = findFault(child, element, type, place);
			if (fault !== undefined) return fault;
		}
		if (count === 0 && presence === "M") return `${place}/${element.name} is missing`;
	}
	const strange = children[at];
	return strange ? `${place}/${strange.localName.slice(0, 60)} has no place there` : undefined;
}

function isCalled({ localName, namespace }: XmlElement, name: string): boolean {
	return namespace === "" && localName === name;
}

function fits(text: string, { name, form }: Element): boolean {
	if (!form) return false;
	const { pattern, charactersMax } = form;
	if (charactersMax !== undefined) return pattern.test(text) && [...text].length <= charactersMax;
	const plain = text.trim();
	return pattern.test(name === "Version" ? toVersion(plain) : plain);
}

/** A decimal of one place, whatever it is written with. */
function toVersion(text: string): string {
	return /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text).toFixed(1) : text;
}
