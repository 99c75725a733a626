/**
 * Parses JSON strictly: one document, valid UTF-8, bounded depth, no duplicate members, no lone surrogates.
 *
 * What the runtime's parser accepts would do harm later: a bad byte becomes U+FFFD in a signed document, the last of two equal members
 * silently wins, a lone surrogate or U+0000 breaks the database's text, and deep nesting overflows the stack.
 */
import { type Fault, msg, Problem, pointerSegment } from "../problem";
import { isLongerThan, isXmlText } from "../values";

const DEPTH_MAX = 16;
/** The largest genuine invoice has a third of these. A parsed value takes up to thirty times its text in memory. */
const VALUES_MAX = 250_000;
/** No object of the API has a tenth of these, and each new name costs the parser a table's entry. */
const MEMBERS_MAX = 1_000;
/** Violations that are listed; how many more there are need not be exact. */
const FAULTS_MAX = 1_000;
/** Why a text is refused, in words that fit a search as well as a document. */
const ILLEGAL_DETAIL = msg`Contains a control character, half of a surrogate pair, U+FFFE or U+FFFF.`;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

/** Removes a byte order mark, which some programs put before JSON. Source: RFC 8259, 8.1. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Parses a JSON document. Throws: malformed-json; validation-error when it nests deeper than 16 or has more than 250,000 values. */
export function parseJson(bytes: Uint8Array): unknown {
	return readDocument(bytes).value;
}

/** The same, with the document's text. */
export function readDocument(bytes: Uint8Array): { readonly value: unknown; readonly text: string } {
	let text: string;
	try {
		text = utf8.decode(bytes);
	} catch (cause) {
		throw new Problem("malformed-json", { detail: msg`The body is not valid UTF-8.`, cause });
	}
	if (text.trim() === "") throw new Problem("malformed-json", { detail: msg`The body is empty.` });
	const scan = scanStructure(text);
	if (scan.isTooDeep) throw tooDeep(DEPTH_MAX);
	if (scan.values > VALUES_MAX) {
		const detail = msg`The body has more than ${VALUES_MAX} values.`;
		throw new Problem("validation-error", { faults: [{ pointer: "", code: "too-many", detail, maximum: VALUES_MAX }] });
	}
	if (scan.isTooWide) {
		const detail = msg`An object has more than ${MEMBERS_MAX} members.`;
		throw new Problem("validation-error", {
			faults: [{ pointer: "", code: "too-many", detail, maximum: MEMBERS_MAX }],
		});
	}
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (cause) {
		throw new Problem("malformed-json", { detail: msg`The body is not a JSON document.`, cause });
	}
	// Each colon outside of texts belongs to a member; the parser keeps only one of several equal names.
	if (countMembers(value) !== scan.members) {
		const name = findDuplicate(text) ?? "";
		throw new Problem("malformed-json", { detail: msg`The member ${name.slice(0, 60)} appears twice in one object.` });
	}
	return { value, text };
}

export function tooDeep(depthMax: number): Problem {
	const detail = msg`Arrays and objects nest deeper than ${depthMax}.`;
	return new Problem("validation-error", { faults: [{ pointer: "", code: "too-deep", detail }] });
}

/** Violations for every text, including member names, that an XML document or the database could not hold. */
export function checkText(value: unknown, textMax: number | undefined): Fault[] {
	// Nearly always there is none, and then no pointer has to be computed.
	return isFit(value, textMax ?? Number.POSITIVE_INFINITY) ? [] : listTextFaults(value, textMax, "", []);
}

function isFit(value: unknown, textMax: number): boolean {
	if (typeof value === "string") return !isLongerThan(value, textMax) && isXmlText(value);
	if (Array.isArray(value)) {
		for (const item of value) if (!isFit(item, textMax)) return false;
	} else if (typeof value === "object" && value !== null) {
		for (const name in value) {
			if (!isXmlText(name) || !isFit(Reflect.get(value, name), textMax)) return false;
		}
	}
	return true;
}

function listTextFaults(value: unknown, textMax: number | undefined, pointer: string, faults: Fault[]): Fault[] {
	if (faults.length >= FAULTS_MAX) return faults;
	if (typeof value === "string") {
		if (!isXmlText(value)) faults.push({ pointer, code: "illegal-character", detail: ILLEGAL_DETAIL });
		else if (textMax !== undefined && isLongerThan(value, textMax)) {
			faults.push({ pointer, code: "too-long", detail: msg`Longer than ${textMax} characters.`, maximum: textMax });
		}
	} else if (Array.isArray(value)) {
		for (const [i, item] of value.entries()) listTextFaults(item, textMax, `${pointer}/${i}`, faults);
	} else if (typeof value === "object" && value !== null) {
		for (const [name, member] of Object.entries(value)) {
			if (isXmlText(name)) listTextFaults(member, textMax, `${pointer}/${pointerSegment(name)}`, faults);
			else {
				const detail = msg`A member's name contains a character that is not allowed.`;
				faults.push({ pointer, code: "illegal-character", detail });
			}
		}
	}
	return faults;
}

type Scan = {
	readonly isTooDeep: boolean;
	readonly isTooWide: boolean;
	readonly members: number;
	readonly values: number;
};

/** One pass over the raw text for what a parsed value no longer shows. It tolerates malformed input: the parser checks the syntax. */
function scanStructure(text: string): Scan {
	let depth = 0;
	let values = 1;
	let isTooWide = false;
	/** Members of the open object at each depth. */
	const widths = new Uint32Array(DEPTH_MAX + 1);
	let members = 0;
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		if (c === QUOTE) {
			for (i++; i < text.length && text.charCodeAt(i) !== QUOTE; i++) if (text.charCodeAt(i) === BACKSLASH) i++;
		} else if (c === COLON) {
			members++;
			const width = (widths[depth] ?? 0) + 1;
			widths[depth] = width;
			if (width > MEMBERS_MAX) isTooWide = true;
		} else if (c === COMMA) values++;
		else if (c === OPEN_BRACE || c === OPEN_BRACKET) {
			if (depth >= DEPTH_MAX) return { isTooDeep: true, isTooWide, members, values };
			depth++;
			widths[depth] = 0;
			values++;
		} else if ((c === CLOSE_BRACE || c === CLOSE_BRACKET) && depth > 0) depth--;
	}
	return { isTooDeep: false, isTooWide, members, values };
}

function countMembers(value: unknown): number {
	let members = 0;
	if (Array.isArray(value)) for (const item of value) members += countMembers(item);
	else if (typeof value === "object" && value !== null) {
		for (const name in value) members += 1 + countMembers(Reflect.get(value, name));
	}
	return members;
}

/** The first name that appears twice in one object of a valid document, as quoted JSON text. */
function findDuplicate(text: string): string | undefined {
	const names: (Set<string> | undefined)[] = [];
	for (let i = 0; i < text.length; i++) {
		const c = text.charCodeAt(i);
		if (c === OPEN_BRACE || c === OPEN_BRACKET) names.push(c === OPEN_BRACE ? new Set() : undefined);
		else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) names.pop();
		else if (c === QUOTE) {
			const end = endOfString(text, i);
			const seen = names[names.length - 1];
			const name = seen && isName(text, end) ? readName(text.slice(i, end + 1)) : undefined;
			if (name !== undefined && seen?.has(name)) return name;
			if (name !== undefined) seen?.add(name);
			i = end;
		}
	}
	return undefined;
}

function endOfString(text: string, start: number): number {
	for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
		let backslashes = 0;
		while (text.charCodeAt(end - 1 - backslashes) === 0x5c) backslashes++;
		if (backslashes % 2 === 0) return end;
	}
	return text.length;
}

function isName(text: string, end: number): boolean {
	for (let i = end + 1; i < text.length; i++) {
		const c = text.charCodeAt(i);
		if (c === 0x20 || c === 0x09 || c === 0x0a || c === 0x0d) continue;
		return c === 0x3a;
	}
	return false;
}

function readName(quoted: string): string | undefined {
	if (!quoted.includes("\\")) return quoted;
	try {
		return JSON.stringify(JSON.parse(quoted));
	} catch {
		return undefined;
	}
}
