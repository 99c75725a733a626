/** Writes the e-CF of a plan: canonical XML from the first byte, without white space between elements. */
import { toCanonicalText } from "./canonical-text";
import { toEcfContent } from "./ecf-content";
import { ECF, type EcfElement } from "./ecf-elements";
import type { EcfType } from "./ecf-type";
import type { EcfPlan } from "./plan-ecf";

/** Values by element name. A list repeats the element. What is undefined, blank or holds nothing is not written. */
export type Content = { readonly [name: string]: Value };
export type Value = string | Content | readonly (string | Content)[] | undefined;

/** Something is to be written that the table does not have: a defect of the mapping. */
export class UnknownElementError extends Error {
	constructor(
		readonly element: string,
		readonly type: EcfType,
	) {
		super(`type ${type} has no element ${element}`);
		this.name = "UnknownElementError";
	}
}

/**
 * The unsigned e-CF in canonical form.
 * Shape: one root element, no XML declaration, in one line unless a text holds line breaks.
 */
export function writeEcf(plan: EcfPlan): string {
	return writeXml(ECF, plan.type, toEcfContent(plan));
}

/** Writes content in the order of the element table. Throws an UnknownElementError for what the type does not carry. */
export function writeXml(root: EcfElement, type: EcfType, content: Content): string {
	return writeElement(root, type, content);
}

function writeElement(element: EcfElement, type: EcfType, value: Value): string {
	if (value === undefined) return "";
	if (Array.isArray(value)) return value.map((item) => writeElement(element, type, item)).join("");
	const inner = typeof value === "string" ? writeText(value) : writeChildren(element, type, value as Content);
	return inner === "" ? "" : `<${element.name}>${inner}</${element.name}>`;
}

function writeText(text: string): string {
	return text.trim() === "" ? "" : toCanonicalText(text);
}

function writeChildren(element: EcfElement, type: EcfType, content: Content): string {
	const written = new Set<string>();
	let xml = "";
	for (const child of element.children ?? []) {
		if (!child.types.includes(type)) continue;
		written.add(child.name);
		xml += writeElement(child, type, content[child.name]);
	}
	for (const [name, value] of Object.entries(content)) {
		if (value !== undefined && !written.has(name)) throw new UnknownElementError(name, type);
	}
	return xml;
}
