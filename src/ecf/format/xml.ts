/**
 * Writes and checks XML by an element table.
 *
 * The check reads documents of other programs with the table that ours are written by. It is as liberal as the authority: `Version` is a number, so
 * `1` and `1.00` equal `1.0`, and white space around a code or an amount is ignored.
 */
import { type Message, msg } from "../../platform/problem";
import { childElements, isBlank, textOf, toCanonicalText, type XmlElement } from "../../platform/xml";
import type { EcfType } from "../types";
import { ECF } from "./ecf";
import type { Element } from "./element";

/** Values by element name. A list repeats the element. Undefined, blank and empty values are not written. */
export type Content = { readonly [name: string]: Value };
export type Value = string | Content | readonly (string | Content)[] | undefined;

/** The content has an element that the table does not allow there, or too many of them. This is a defect of the mapping. */
export class UnfitElementError extends Error {
	constructor(
		readonly element: string,
		readonly type: EcfType,
		what: string,
	) {
		super(`type ${type} ${what} ${element}`);
		this.name = "UnfitElementError";
	}
}

/** Writes content in the order of the element table. Throws an UnfitElementError for an element that the type does not carry. */
export function writeXml(root: Element, type: EcfType, content: Content): string {
	// Joined once: a string that grows piece by piece becomes a rope that must be flattened later.
	const pieces: string[] = [];
	writeOne(compiledFor(root, type), content, type, pieces);
	return pieces.join("");
}

type Node = {
	readonly name: string;
	readonly startTag: string;
	readonly endTag: string;
	/** Position among the children of its parent. */
	readonly position: number;
	readonly most: number;
	/** Numbers and codes need no escaping. */
	readonly isFreeText: boolean;
	readonly children: ReadonlyMap<string, Node>;
};

const compiled = new Map<Element, Map<EcfType, Node>>();

function compiledFor(root: Element, type: EcfType): Node {
	const byType = compiled.get(root) ?? new Map<EcfType, Node>();
	compiled.set(root, byType);
	const node = byType.get(type) ?? compile(root, type, 0);
	byType.set(type, node);
	return node;
}

function compile(element: Element, type: EcfType, position: number): Node {
	const own = element.children.filter((child) => child.presence[type]);
	return {
		name: element.name,
		startTag: `<${element.name}>`,
		endTag: `</${element.name}>`,
		position,
		most: element.most(type),
		isFreeText: element.form?.decimals === undefined,
		children: new Map(own.map((child, index) => [child.name, compile(child, type, index)])),
	};
}

function writeValue(node: Node, value: Value, type: EcfType, pieces: string[]): void {
	if (!isList(value)) {
		if (value !== undefined) writeOne(node, value, type, pieces);
		return;
	}
	if (value.length > node.most) throw new UnfitElementError(node.name, type, `does not allow ${value.length} elements`);
	for (const item of value) writeOne(node, item, type, pieces);
}

function isList(value: Value): value is readonly (string | Content)[] {
	return Array.isArray(value);
}

function writeOne(node: Node, value: string | Content, type: EcfType, pieces: string[]): void {
	if (typeof value === "string") {
		const text = writeText(node, value);
		if (text !== "") pieces.push(node.startTag, text, node.endTag);
		return;
	}
	const before = pieces.push(node.startTag);
	writeChildren(node, value, type, pieces);
	if (pieces.length === before) pieces.pop();
	else pieces.push(node.endTag);
}

function writeText(node: Node, text: string): string {
	if (!node.isFreeText) return text;
	return text.trim() === "" ? "" : toCanonicalText(text);
}

/** Content nearly always follows the table's order already. If it does not, it is sorted. */
function writeChildren(node: Node, content: Content, type: EcfType, pieces: string[]): void {
	const before = pieces.length;
	let last = -1;
	for (const name in content) {
		const value = content[name];
		if (value === undefined) continue;
		const child = node.children.get(name);
		if (!child) throw new UnfitElementError(name, type, "has no element");
		if (child.position < last) {
			pieces.length = before;
			writeSorted(node, content, type, pieces);
			return;
		}
		last = child.position;
		writeValue(child, value, type, pieces);
	}
}

function writeSorted(node: Node, content: Content, type: EcfType, pieces: string[]): void {
	for (const [name, child] of node.children) writeValue(child, content[name], type, pieces);
	const unknown = Object.keys(content).find((name) => content[name] !== undefined && !node.children.has(name));
	if (unknown !== undefined) throw new UnfitElementError(unknown, type, "has no element");
}

/** The first thing wrong with a document without its Signature, with the path of the element; undefined if it is valid. */
export function findFormatFault(root: XmlElement, type: EcfType): Message | undefined {
	if (root.localName !== ECF.name || root.namespace !== "")
		return msg`the document is a ${root.localName}, not an ${ECF.name}`;
	return findFault(root, ECF, type, "");
}

function findFault(found: XmlElement, expected: Element, type: EcfType, above: string): Message | undefined {
	const place = `${above}/${expected.name}`;
	const { form } = expected;
	const children = childElements(found);
	if (form) {
		if (children.length > 0) return msg`${place} contains elements`;
		return fits(textOf(found), expected) ? undefined : msg`${place} does not have its form`;
	}
	if (!isBlank(textOf(found))) return msg`${place} contains text between its elements`;
	let at = 0;
	for (const element of expected.children) {
		const presence = element.presence[type];
		if (!presence) continue;
		let count = 0;
		for (let child = children[at]; child && isCalled(child, element.name); child = children[++at]) {
			if (++count > element.most(type)) return msg`${place}/${element.name} occurs too often`;
			const fault = findFault(child, element, type, place);
			if (fault !== undefined) return fault;
		}
		if (count === 0 && presence === "M") return msg`${place}/${element.name} is missing`;
	}
	const strange = children[at];
	return strange ? msg`${place}/${strange.localName.slice(0, 60)} is not allowed there` : undefined;
}

function isCalled({ localName, namespace }: XmlElement, name: string): boolean {
	return namespace === "" && localName === name;
}

function fits(text: string, { name, form }: Element): boolean {
	if (!form) return false;
	const { pattern, charactersMax } = form;
	if (charactersMax !== undefined) return pattern.test(text) && text.length <= charactersMax;
	const plain = text.trim();
	return pattern.test(name === "Version" ? toVersion(plain) : plain);
}

function toVersion(text: string): string {
	return /^\d{1,3}(\.\d{1,3})?$/.test(text) ? Number(text).toFixed(1) : text;
}
