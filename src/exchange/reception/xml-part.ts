import { Type } from "@sinclair/typebox";
import { withTimeout } from "../../platform/concurrency";
import { type BodyRule, type Call, readBytes } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { OUTSIDE_LIMITS } from "../../platform/xml";

/** A document as large as the verifier takes, and what stands around it. */
const BODY_BYTES_MAX = OUTSIDE_LIMITS.bytesMax + 16 * 1024;

const BODY_TIMEOUT_MS = 15_000;

/** The body that every service of a counterparty takes; `example` is the document. */
export function xmlPartBody(description: string, example: string): BodyRule {
	return {
		schema: Type.Object({ xml: Type.String({ contentMediaType: "application/xml", description }) }),
		limitBytes: BODY_BYTES_MAX,
		required: true,
		mediaTypes: ["multipart/form-data"],
		example: { xml: example },
	};
}

/**
 * The bytes of the part `xml` of a counterparty's request, as they came; nothing is believed of them yet.
 * Throws: payload-too-large, unsupported-media-type, malformed-json (a body cut off), validation-error, also for a body that does not come.
 */
export async function readXmlPart(call: Call): Promise<Uint8Array> {
	const body = await withinTime(readBytes(call));
	const part = takeXmlPart(body, call.request.headers.get("content-type") ?? "");
	if (typeof part !== "string") return part;
	throw refuse(`Expected one part called xml, but ${part}.`);
}

/** A sender that trickles holds a place; nobody needs so long for 4 MiB. */
function withinTime(body: Promise<Uint8Array>): Promise<Uint8Array> {
	return withTimeout(body, BODY_TIMEOUT_MS, () => {
		throw refuse(`The body did not come within ${BODY_TIMEOUT_MS / 1_000} seconds.`);
	});
}

function refuse(detail: string): Problem {
	return new Problem("validation-error", { faults: [{ pointer: "", code: "invalid-multipart", detail }] });
}

/* HEAD multipart.ts:  * Takes the one file out of a multipart body, as the tax authority and taxpayers' programs write them.
 *
 *   --boundary CRLF headers CRLF CRLF bytes CRLF --boundary--
 *
 * Seen in the authority's own requests and taken: a part whose media type is `multipart/form-data;` or missing, names without quotation marks,
 * a second name as `filename*=`. Neither the part's media type nor a file's name decides anything, and no file is ever called by it.
 * Not taken: a body that does not end, more than one part, a part of another name. Whoever reads on behind what one program takes for the end
 * reads another document.
 *
 * Work: one search forward for each delimiter, headers up to a bound.
 *
 * Source: RFC 7578; RFC 2046, 5.1.1. */

const HEADER_BYTES_MAX = 4_096;
// Source: RFC 2046, 5.1.1, and nothing that would have to be quoted in an expression.
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
const LINE_END = "\r\n";

/** The bytes of the part `xml`; a string says why there are none. */
export function takeXmlPart(body: Uint8Array, contentType: string): Uint8Array | string {
	const found = BOUNDARY.exec(contentType);
	const boundary = found?.[1] ?? found?.[2];
	if (boundary === undefined) return "the Content-Type names no boundary";
	const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
	const opening = `--${boundary}${LINE_END}`;
	const start = bytes.subarray(0, opening.length).equals(Buffer.from(opening)) ? 0 : bytes.indexOf(LINE_END + opening);
	if (start < 0) return "the body has no part";
	const headersFrom = bytes.indexOf(opening, start) + opening.length;
	const headersTo = bytes.indexOf(LINE_END + LINE_END, headersFrom);
	if (headersTo < 0 || headersTo - headersFrom > HEADER_BYTES_MAX) return "the headers of the part do not end";
	const contentFrom = headersTo + 2 * LINE_END.length;
	const delimiter = `${LINE_END}--${boundary}`;
	const contentTo = bytes.indexOf(delimiter, contentFrom);
	if (contentTo < 0) return "the body does not end with its boundary";
	const after = contentTo + delimiter.length;
	if (bytes.toString("latin1", after, after + 2) !== "--") return "the body has more than one part";
	if (bytes.toString("latin1", after + 2).trim() !== "") return "something stands behind the end of the body";
	if (readName(bytes.toString("latin1", headersFrom, headersTo)) !== "xml") return "the part is not called xml";
	return new Uint8Array(bytes.subarray(contentFrom, contentTo));
}

/** The name of a part; undefined where its disposition names none, or two. */
function readName(headers: string): string | undefined {
	const dispositions = headers.split(LINE_END).filter((line) => /^content-disposition\s*:/i.test(line));
	if (dispositions.length !== 1) return undefined;
	const names = [...(dispositions[0] ?? "").matchAll(/;\s*name=(?:"([^"]*)"|([^\s;"]+))/gi)];
	return names.length === 1 ? (names[0]?.[1] ?? names[0]?.[2]) : undefined;
}
