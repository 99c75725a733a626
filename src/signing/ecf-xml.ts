/** Writes the e-CF of a plan: canonical XML from the first byte, without white space between elements. */
import { toCanonicalText } from "../xml";
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
	let xml = "";
	let found = 0;
	for (const child of element.children ?? []) {
		const value = content[child.name];
		if (value === undefined || !child.types.includes(type)) continue;
		xml += writeElement(child, type, value);
		found++;
	}
	if (found < countGiven(content)) throw new UnknownElementError(findUnknown(element, type, content), type);
	return xml;
}

function countGiven(content: Content): number {
	let count = 0;
	for (const name in content) if (content[name] !== undefined) count++;
	return count;
}

function findUnknown(element: EcfElement, type: EcfType, content: Content): string {
	const known = (element.children ?? []).filter((child) => child.types.includes(type)).map((child) => child.name);
	return Object.keys(content).find((name) => content[name] !== undefined && !known.includes(name)) ?? element.name;
}
