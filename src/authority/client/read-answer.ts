/**
 * Reads any body that the authority has been seen to send into one of four forms, without judging its content.
 *
 *     {…} or an XML element with children         members, their names in lower case
 *     […] or an XML ArrayOf…                      list
 *     bare text, "a JSON string", <string>…       text
 *     HTML, broken JSON or XML, nothing           unreadable
 *
 * Quirks: a member is a number in one service and a string in another. Names differ in letter case. A JSON document may arrive inside a JSON
 * string. The Content-Type is not reliable. A success still carries an empty remark with code 0.
 */
import { parseJson } from "../../platform/operation";
import { isXmlText } from "../../platform/values";
import {
	childElements,
	textOf as elementText,
	isXmlElement,
	OUTSIDE_LIMITS,
	readXmlText,
	type XmlElement,
} from "../../platform/xml";
import type { HttpAnswer } from "./exchange";

/** Members by lower-case name. */
export type Members = ReadonlyMap<string, unknown>;

export type Reading =
	| { readonly form: "members"; readonly members: Members }
	| { readonly form: "list"; readonly items: readonly unknown[] }
	| { readonly form: "text"; readonly text: string }
	| { readonly form: "unreadable"; readonly detail: string };

const TEXT_CHARACTERS_MAX = 2_000;

/** The body as text in its declared charset, or UTF-8. Invalid bytes become U+FFFD. */
export function decodeBody(answer: HttpAnswer): string {
	const label = /charset\s*=\s*"?([\w.:-]+)/i.exec(answer.mediaType)?.[1] ?? "utf-8";
	let decoder: TextDecoder;
	try {
		decoder = new TextDecoder(label as ConstructorParameters<typeof TextDecoder>[0]);
	} catch {
		// An unknown charset does not make an answer unreadable, since everything relevant is ASCII.
		decoder = new TextDecoder();
	}
	return decoder.decode(answer.bytes);
}

const EMPTY: Reading = { form: "unreadable", detail: "the answer is empty" };

/** True for an empty answer: no body, or `null`. */
export function isEmptyAnswer(reading: Reading): boolean {
	return reading === EMPTY;
}

export function readAnswer(text: string): Reading {
	return read(text.trim(), true);
}

function read(text: string, mayNest: boolean): Reading {
	if (text === "") return EMPTY;
	if (/^<(!doctype\s+html|html|head|body)\b/i.test(text)) return { form: "unreadable", detail: "the answer is HTML" };
	if (text.startsWith("<")) return readXmlForm(text);
	let value: unknown;
	try {
		value = parseJson(new TextEncoder().encode(text));
	} catch {
		if (/^[{[]/.test(text)) return { form: "unreadable", detail: "the answer is broken or ambiguous JSON" };
		return { form: "text", text: cleanText(text) };
	}
	if (typeof value !== "string") return toReading(value);
	if (mayNest && /^\s*[{[<]/.test(value)) return read(value.trim(), false);
	return { form: "text", text: cleanText(value.trim()) };
}

function readXmlForm(text: string): Reading {
	const xml = readXml(text);
	if (!xml) return { form: "unreadable", detail: "the answer is broken XML" };
	if (typeof xml.value === "string") return { form: "text", text: cleanText(xml.value.trim()) };
	if (!/^arrayof/i.test(xml.root)) return toReading(xml.value);
	return { form: "list", items: Object.values(xml.value ?? {}).flat() };
}

function toReading(value: unknown): Reading {
	if (value === null) return EMPTY;
	if (Array.isArray(value)) return { form: "list", items: value };
	const members = toMembers(value);
	if (members) return { form: "members", members };
	return { form: "unreadable", detail: "the answer is neither an object nor a list nor a text" };
}

/** An object's members by lower-case name. Undefined for any other value, and when two names differ only in case. */
export function toMembers(value: unknown): Members | undefined {
	if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
	const entries = Object.entries(value).map(([name, member]): [string, unknown] => [name.toLowerCase(), member]);
	const members = new Map(entries);
	return members.size === entries.length ? members : undefined;
}

/** The text of a scalar member; undefined if it is absent, null, blank or not a scalar. */
export function textOf(members: Members, name: string): string | undefined {
	const value = members.get(name);
	if (typeof value !== "string" && typeof value !== "number" && typeof value !== "boolean") return undefined;
	return cleanText(String(value).trim()) || undefined;
}

/** A boolean member, as a JSON boolean or as a word. */
export function truthOf(members: Members, name: string): boolean | undefined {
	const text = textOf(members, name)?.toLowerCase();
	return text === "true" ? true : text === "false" ? false : undefined;
}

/** Lower case without accents, repeated spaces and the final full stop, for comparing the authority's texts. */
export function foldText(text: string): string {
	return text
		.normalize("NFD")
		.replace(/\p{M}/gu, "")
		.toLowerCase()
		.replace(/\s+/g, " ")
		.replace(/[.\s]+$/, "")
		.trim();
}

/** The text without characters that XML or PostgreSQL cannot hold, cut to a length that a record can store. */
export function cleanText(text: string): string {
	const cut = text.slice(0, TEXT_CHARACTERS_MAX).toWellFormed();
	return isXmlText(cut) ? cut : [...cut].map((character) => (isXmlText(character) ? character : "\uFFFD")).join("");
}

export type XmlReading = { readonly root: string; readonly value: unknown };

/** Genuine answers have a few KiB and five levels. */
const LIMITS = { ...OUTSIDE_LIMITS, bytesMax: 1024 * 1024, depthMax: 16 };
const XSI = "http://www.w3.org/2001/XMLSchema-instance";

/**
 * Reads XML into the values that its JSON variant would have. An element with children becomes an object, repeated children an array, any
 * other element its text, and `xsi:nil` null. Undefined for XML that is not well formed, nests too deeply or declares a document type. Genuine
 * answers never declare one, and entities could expand the document or make it read a file.
 */
export function readXml(text: string): XmlReading | undefined {
	const root = readXmlText(text, LIMITS);
	return isXmlElement(root) ? { root: root.localName, value: toValue(root) } : undefined;
}

function toValue(element: XmlElement): unknown {
	if (element.attributes.some((one) => one.namespace === XSI && one.localName === "nil" && one.value === "true")) {
		return null;
	}
	const children = childElements(element);
	if (children.length === 0) return elementText(element);
	const members = new Map<string, unknown[]>();
	for (const child of children) {
		const values = members.get(child.localName);
		if (values) values.push(toValue(child));
		else members.set(child.localName, [toValue(child)]);
	}
	return Object.fromEntries([...members].map(([name, values]) => [name, values.length === 1 ? values[0] : values]));
}
