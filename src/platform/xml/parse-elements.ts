/** Parses the text after the XML declaration into a tree: tags, text, comments and CDATA sections, in one loop without recursion. */

import { isXmlText } from "../values";
import {
	checkDeclaration,
	declaredPrefix,
	EMPTY_SCOPE,
	enterScope,
	findNamespace,
	isBlank,
	type Scope,
	type XmlAttribute,
	type XmlElement,
	type XmlFaultCode,
	type XmlLimits,
	XmlRefusal,
} from "./element";

type Growing = Omit<XmlElement, "children" | "isPlain"> & {
	children: (XmlElement | string)[];
	isPlain: boolean;
	hasComment: boolean;
	/** Text since the last child element. */
	pending: string;
};

const NAME_START =
	"A-Z_a-z\\u{0C0}-\\u{0D6}\\u{0D8}-\\u{0F6}\\u{0F8}-\\u{2FF}\\u{370}-\\u{37D}\\u{37F}-\\u{1FFF}\\u{200C}-\\u{200D}" +
	"\\u{2070}-\\u{218F}\\u{2C00}-\\u{2FEF}\\u{3001}-\\u{D7FF}\\u{F900}-\\u{FDCF}\\u{FDF0}-\\u{FFFD}\\u{10000}-\\u{EFFFF}";
const PART = `[${NAME_START}][${NAME_START}\\-.0-9\\u{B7}\\u{300}-\\u{36F}\\u{203F}-\\u{2040}]*`;
const NAME = new RegExp(`${PART}(?::${PART})?`, "uy");
const SPACE = /[ \t\n]*/y;
const EQUALS = /[ \t\n]*=[ \t\n]*/y;

/** The root element of a text, from an offset to its end. Throws: XmlRefusal. */
export function parseElements(text: string, from: number, limits: XmlLimits): XmlElement {
	let at = from;
	let nodes = 0;
	let root: XmlElement | undefined;
	const open: Growing[] = [];

	function refuse(code: XmlFaultCode, detail: string): never {
		throw new XmlRefusal(code, `${detail}, at character ${at}`);
	}
	function count(more: number): void {
		nodes += more;
		if (nodes > limits.nodesMax) refuse("too-many-nodes", `more than ${limits.nodesMax} nodes`);
	}
	/** Advances over what a sticky pattern matches here and returns it; empty when it does not match. */
	function take(pattern: RegExp): string {
		pattern.lastIndex = at;
		const found = pattern.exec(text)?.[0] ?? "";
		at += found.length;
		return found;
	}
	function takeUntil(end: string, what: string): string {
		const found = text.indexOf(end, at);
		if (found < 0) refuse("not-well-formed", `${what} that does not end`);
		const taken = text.slice(at, found);
		at = found + end.length;
		return taken;
	}
	function takeName(): string {
		const name = take(NAME);
		if (name === "") refuse("not-well-formed", "a name is missing");
		if (text[at] === ":") refuse("namespace", "a name with a colon at its end, or with two of them");
		return name;
	}

	function addText(raw: string, isLiteral: boolean): void {
		if (!isLiteral && raw.includes("]]>")) refuse("not-well-formed", "an end of CDATA in a text");
		const element = open.at(-1);
		if (element) {
			if (element.pending === "") count(1);
			element.pending += isLiteral ? raw : readReferences(raw);
		} else if (isLiteral || !isBlank(raw)) refuse("content-outside-root", "text outside the root element");
	}

	function readComment(): void {
		at += "<!--".length;
		count(1);
		const comment = takeUntil("--", "a comment");
		if (text[at] !== ">") refuse("not-well-formed", `two hyphens in a comment of ${comment.length} characters`);
		at += 1;
		const element = open.at(-1);
		if (element) element.hasComment = true;
	}

	function readStartTag(): void {
		if (root) refuse("content-outside-root", "a second root element");
		if (open.length >= limits.depthMax) refuse("too-deep", `more than ${limits.depthMax} levels`);
		at += 1;
		const name = takeName();
		const attributes: RawAttribute[] = [];
		for (;;) {
			const space = take(SPACE);
			const character = text[at];
			if (character === ">" || character === "/") break;
			if (space === "") refuse("not-well-formed", "a tag that does not end");
			if (attributes.length >= limits.attributesMax) {
				refuse("too-many-attributes", `more than ${limits.attributesMax} attributes`);
			}
			attributes.push(readAttribute());
		}
		count(1 + attributes.length);
		const parent = open.at(-1);
		if (parent) flush(parent);
		const element = openElement(name, attributes, parent?.scope ?? EMPTY_SCOPE);
		open.push({ ...element, parent, children: [], isPlain: true, hasComment: false, pending: "" });
		const isEmpty = text[at] === "/";
		if (isEmpty) at += 1;
		if (text[at] !== ">") refuse("not-well-formed", "a tag that does not end");
		at += 1;
		if (isEmpty) close();
	}

	function readAttribute(): RawAttribute {
		const name = takeName();
		if (take(EQUALS) === "") refuse("not-well-formed", `an attribute ${name} without a value`);
		const quote = text[at];
		if (quote !== '"' && quote !== "'") refuse("not-well-formed", `an attribute ${name} without quotation marks`);
		at += 1;
		const value = takeUntil(quote, "an attribute");
		if (value.includes("<")) refuse("not-well-formed", `a raw < in the attribute ${name}`);
		return { name, value: readReferences(value.replace(/[\t\n]/g, " ")) };
	}

	function readEndTag(): void {
		at += "</".length;
		const name = takeName();
		take(SPACE);
		if (text[at] !== ">" || open.at(-1)?.name !== name)
			refuse("not-well-formed", `an end tag ${name} that closes nothing`);
		at += 1;
		close();
	}

	function close(): void {
		const element = open.pop();
		if (!element) return;
		flush(element);
		if (element.hasComment) {
			const hasText = element.children.some((child) => typeof child === "string" && !isBlank(child));
			if (hasText) refuse("comment-in-text", `a comment among the text of ${element.name}`);
			element.isPlain = false;
		}
		const parent = open.at(-1);
		if (!parent) root = element;
		else parent.children.push(element);
	}

	function flush(element: Growing): void {
		if (element.pending !== "") element.children.push(element.pending);
		element.pending = "";
	}

	while (at < text.length) {
		if (text[at] !== "<") {
			const end = text.indexOf("<", at);
			const raw = text.slice(at, end < 0 ? text.length : end);
			addText(raw, false);
			at += raw.length;
		} else if (text[at + 1] === "/") readEndTag();
		else if (text.startsWith("<!--", at)) readComment();
		else if (text.startsWith("<![CDATA[", at)) {
			at += "<![CDATA[".length;
			const element = open.at(-1);
			if (element) element.isPlain = false;
			addText(takeUntil("]]>", "a CDATA section"), true);
		} else if (text[at + 1] === "!") refuse("document-type", "a document type or a declaration of one");
		else if (text[at + 1] === "?") refuse("processing-instruction", "a processing instruction");
		else readStartTag();
	}
	if (open.length > 0) refuse("not-well-formed", "an element that does not end");
	return root ?? refuse("not-well-formed", "no root element");
}

/** The meaning of a start tag: resolved namespaces, attributes, replaced references. */

/** References are already replaced. */
type RawAttribute = { readonly name: string; readonly value: string };

const NONE: ReadonlyMap<string, string> = new Map();
const PREDEFINED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
/** Numbers longer than any code point fall to the last alternative, which is refused. */
const REFERENCE = /&#(\d{1,10});|&#x([0-9A-Fa-f]{1,8});|&(\w{1,64});|&/g;

/** Reads an element's start tag. Throws: XmlRefusal. */
function openElement(
	name: string,
	raw: readonly RawAttribute[],
	outer: Scope,
): Omit<XmlElement, "parent" | "children" | "isPlain"> {
	if (raw.length === 0) return { name, ...resolveName(name, outer), attributes: [], declared: NONE, scope: outer };
	const declared = new Map<string, string>();
	const names = new Set<string>();
	for (const attribute of raw) {
		if (names.has(attribute.name)) throw new XmlRefusal("duplicate-attribute", `${attribute.name} stands twice`);
		names.add(attribute.name);
		const prefix = declaredPrefix(attribute.name);
		if (prefix === undefined) continue;
		checkDeclaration(prefix, attribute.value);
		// The prefix xml is always declared; repeating that changes nothing, not even the canonical form.
		if (prefix !== "xml") declared.set(prefix, attribute.value);
	}
	const scope = enterScope(outer, declared);
	const attributes = raw
		.filter((attribute) => declaredPrefix(attribute.name) === undefined)
		.map((attribute) => resolveAttribute(attribute, scope));
	const expanded = new Set(attributes.map((one) => `${one.namespace} ${one.localName}`));
	if (expanded.size < attributes.length) {
		throw new XmlRefusal("duplicate-attribute", `an attribute of ${name} stands twice under two prefixes`);
	}
	return { name, ...resolveName(name, scope), attributes, declared, scope };
}

function resolveAttribute({ name, value }: RawAttribute, scope: Scope): XmlAttribute {
	if (!name.includes(":")) return { name, localName: name, namespace: "", value };
	const { localName, namespace } = resolveName(name, scope);
	return { name, localName, namespace, value };
}

function resolveName(name: string, scope: Scope): { prefix: string; localName: string; namespace: string } {
	const colon = name.indexOf(":");
	const prefix = colon < 0 ? "" : name.slice(0, colon);
	const namespace = findNamespace(scope, prefix);
	if (namespace === undefined || prefix === "xmlns") {
		throw new XmlRefusal("namespace", `the prefix ${prefix} is not declared`);
	}
	return { prefix, localName: name.slice(colon + 1), namespace };
}

/** Replaces the references of a text. Throws: XmlRefusal for an entity that only a document type could declare. */
function readReferences(raw: string): string {
	if (!raw.includes("&")) return raw;
	return raw.replace(REFERENCE, (reference, decimal?: string, hex?: string, entity?: string) => {
		if (entity !== undefined) {
			const character = Object.hasOwn(PREDEFINED, entity) ? PREDEFINED[entity] : undefined;
			if (character !== undefined) return character;
			throw new XmlRefusal("entity", `a reference to the entity ${entity}`);
		}
		const point = decimal !== undefined ? Number(decimal) : hex !== undefined ? Number.parseInt(hex, 16) : -1;
		if (point < 0) throw new XmlRefusal("not-well-formed", "a raw &");
		const character = point > 0x10_ff_ff ? "\0" : String.fromCodePoint(point);
		if (!isXmlText(character)) throw new XmlRefusal("illegal-character", `a reference ${reference} to no character`);
		return character;
	});
}
