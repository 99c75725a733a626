/**
 * Reads XML from outside, or returns why not.
 *
 *     bytes ──size──▶ UTF-8 ──▶ text ──characters──▶ line ends ──▶ declaration ──▶ elements ──▶ tree
 *
 * Model: XML 1.0 without document types. What only a document type can declare (entities, default attributes, notations) does not exist
 * here. Processing instructions are refused: no honest document of the authority or of a taxpayer has one, and programs disagree about the
 * text around them. The result is a tree of plain values, without the original spelling.
 *
 * Cost: one pass forward that looks at each character a bounded number of times. Depth, attributes and nodes are counted while reading, so
 * a document over a limit costs no more than the limit.
 *
 * No library, because the available ones accept a second root, continue after errors or recurse over the input, and their tree is another
 * program's reading of the bytes. One reader must read both the signature and the content.
 *
 * Source: XML 1.0 (Fifth Edition); Namespaces in XML 1.0 (Third Edition).
 */
import { isXmlText } from "../values";
import { type XmlElement, type XmlFault, type XmlLimits, XmlRefusal } from "./element";
import { parseElements } from "./parse-elements";

/**
 * For documents from outside. Nodes determine the cost of reading and of canonical forms. An invoice has at most a thousand lines and fits;
 * of a note, which may have 10,000, some 4,000 short ones fit.
 */
export const OUTSIDE_LIMITS: XmlLimits = {
	bytesMax: 4 * 1024 * 1024,
	nodesMax: 60_000,
	depthMax: 32,
	attributesMax: 64,
};

/** For our own documents: a consumer invoice of 10,000 long lines fits. */
export const OWN_LIMITS: XmlLimits = { ...OUTSIDE_LIMITS, bytesMax: 16 * 1024 * 1024, nodesMax: 400_000 };

const DECLARATION =
	/^<\?xml[ \t\n]+version[ \t\n]*=[ \t\n]*(?:"1\.0"|'1\.0')(?:[ \t\n]+encoding[ \t\n]*=[ \t\n]*(?:"([A-Za-z][\w.-]*)"|'([A-Za-z][\w.-]*)'))?(?:[ \t\n]+standalone[ \t\n]*=[ \t\n]*(?:"(?:yes|no)"|'(?:yes|no)'))?[ \t\n]*\?>/;

/** Reads bytes, which must be UTF-8 and must not declare another encoding. */
export function readXmlBytes(bytes: Uint8Array, limits: XmlLimits = OUTSIDE_LIMITS): XmlElement | XmlFault {
	if (bytes.byteLength > limits.bytesMax) return tooLarge(limits);
	const text = decodeUtf8(bytes);
	return text === undefined ? { code: "encoding", detail: "the bytes are not UTF-8" } : read(text, limits, true);
}

/**
 * Reads text that a transport has decoded already. The declared encoding is then ignored: the platform behind the authority is known to
 * declare `utf-16` in UTF-8 data.
 */
export function readXmlText(text: string, limits: XmlLimits = OUTSIDE_LIMITS): XmlElement | XmlFault {
	// A code unit has one to three bytes, so only the range in between has to be measured.
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

/** A byte order mark is dropped. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		// The decoder throws no other error.
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
