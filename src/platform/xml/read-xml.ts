/**
 * Reads XML that somebody else wrote, or says why not.
 *
 *     bytes ──size──▶ UTF-8 ──▶ text ──characters──▶ line ends ──▶ declaration ──▶ elements ──▶ tree
 *
 * Model: XML 1.0 without document types. What only a document type can bring (entities, default attributes, notations)
 * does not exist here, and there are no processing instructions: no honest document of the authority or of a
 * taxpayer has one, and programs disagree on whether the text around one is in one piece. What is read is a tree
 * of plain values; nothing in it remembers how it was spelt.
 *
 * Work: one pass forward, each character looked at a bounded number of times; depth, attributes of an element and nodes are
 * counted while reading, so a document over a limit costs no more than the limit.
 *
 * Why no library: the ones at hand accept a second root, go on after errors, or walk the input recursively, and the tree they
 * build is another program's reading of the same bytes. Signature and content have to be read by one reader.
 *
 * Source: XML 1.0 (Fifth Edition); Namespaces in XML 1.0 (Third Edition).
 */
import { isXmlText } from "../values";
import { type XmlElement, type XmlFault, type XmlLimits, XmlRefusal } from "./element";
import { parseElements } from "./parse-elements";

/**
 * For documents from outside. Nodes are what a reading and its canonical forms cost: an invoice has a thousand lines at most and fits, of a note,
 * which may have 10,000, some 4,000 short ones do.
 */
export const OUTSIDE_LIMITS: XmlLimits = {
	bytesMax: 4 * 1024 * 1024,
	nodesMax: 60_000,
	depthMax: 32,
	attributesMax: 64,
};

/** For what we have written ourselves: a consumer invoice of 10,000 long lines fits. */
export const OWN_LIMITS: XmlLimits = { ...OUTSIDE_LIMITS, bytesMax: 16 * 1024 * 1024, nodesMax: 400_000 };

const DECLARATION =
	/^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.0"|'1\.0')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/;

/** Reads bytes, which must be UTF-8 and must not say otherwise. */
export function readXmlBytes(bytes: Uint8Array, limits: XmlLimits = OUTSIDE_LIMITS): XmlElement | XmlFault {
	if (bytes.byteLength > limits.bytesMax) return tooLarge(limits);
	const text = decodeUtf8(bytes);
	return text === undefined ? { code: "encoding", detail: "the bytes are not UTF-8" } : read(text, limits, true);
}

/**
 * Reads text that a transport has already decoded. What its declaration says of an encoding does not count then: the
 * platform behind the authority is known to write `utf-16` into what it sends as UTF-8.
 */
export function readXmlText(text: string, limits: XmlLimits = OUTSIDE_LIMITS): XmlElement | XmlFault {
	// A code unit has one to three bytes: only what lies between has to be measured.
	const isLarge = text.length * 3 > limits.bytesMax && new TextEncoder().encode(text).length > limits.bytesMax;
	if (text.length > limits.bytesMax || isLarge) return tooLarge(limits);
	return read(text.startsWith("\uFEFF") ? text.slice(1) : text, limits, false);
}

export function isXmlElement(reading: XmlElement | XmlFault): reading is XmlElement {
	return "children" in reading;
}

function read(text: string, limits: XmlLimits, isDeclarationBinding: boolean): XmlElement | XmlFault {
	try {
		if (!isXmlText(text)) throw new XmlRefusal("illegal-character", "a character that XML does not have");
		const lines = text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
		return parseElements(lines, skipDeclaration(lines, isDeclarationBinding), limits);
	} catch (error) {
		if (error instanceof XmlRefusal) return { code: error.code, detail: error.message };
		throw error;
	}
}

/** A byte order mark is left out. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		// The decoder's only error.
		return undefined;
	}
}

function skipDeclaration(text: string, isBinding: boolean): number {
	if (!/^<\?xml[ \t\n?]/.test(text)) return 0;
	const found = DECLARATION.exec(text);
	if (!found) throw new XmlRefusal("not-well-formed", "the XML declaration is malformed, or not of version 1.0");
	const encoding = found[1] ?? found[2];
	if (isBinding && encoding !== undefined && encoding.toLowerCase() !== "utf-8") {
		throw new XmlRefusal("encoding", `the declared encoding is ${encoding}`);
	}
	return found[0].length;
}

function tooLarge({ bytesMax }: XmlLimits): XmlFault {
	return { code: "too-large", detail: `more than ${bytesMax} bytes` };
}
