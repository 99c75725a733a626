import { Type } from "@sinclair/typebox";
import { createKeyedSemaphore, withTimeout } from "../../platform/concurrency";
import { type BodyRule, type Call, readBytes } from "../../platform/operation";
import { type Message, msg, Problem } from "../../platform/problem";
import { OUTSIDE_LIMITS } from "../../platform/xml";

/** The largest document that the verifier takes, plus what surrounds it. */
const BODY_BYTES_MAX = OUTSIDE_LIMITS.bytesMax + 16 * 1024;

const BODY_TIMEOUT_MS = 15_000;

/** The body of every service that counterparties call; `example` is the document. */
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
 * The bytes of the part `xml` of a request, unchanged and unverified.
 * Throws: payload-too-large, unsupported-media-type, malformed-json (a truncated body), validation-error, also for a body that does not arrive
 * in time.
 */
export async function readXmlPart(call: Call): Promise<Uint8Array> {
	const body = await withinTime(readBytes(call));
	const part = takeXmlPart(body, call.request.headers.get("content-type") ?? "");
	if (part instanceof Uint8Array) return part;
	throw refuse(msg`Expected one part called xml, but ${part}.`);
}

/** A slow sender occupies a place; no genuine one needs this long for 4 MiB. */
function withinTime(body: Promise<Uint8Array>): Promise<Uint8Array> {
	return withTimeout(body, BODY_TIMEOUT_MS, () => {
		throw refuse(msg`The body did not come within ${BODY_TIMEOUT_MS / 1_000} seconds.`);
	});
}

function refuse(detail: Message): Problem {
	return new Problem("validation-error", { faults: [{ pointer: "", code: "invalid-multipart", detail }] });
}

/*
 * Multipart bodies as the tax authority and taxpayers' programs write them:
 *
 *     --boundary CRLF headers CRLF CRLF bytes CRLF --boundary--
 *
 * Accepted, because the authority's own requests have them: a part with the media type `multipart/form-data;` or none, unquoted names, a
 * second name as `filename*=`. Media type and file name decide nothing, and no file is named after them. Refused: a body without an end, more
 * than one part, a part with another name. A reader that continues past another program's end reads another document.
 *
 * Work: one forward search per delimiter, with bounded headers.
 *
 * Source: RFC 7578; RFC 2046, 5.1.1.
 */

const HEADER_BYTES_MAX = 4_096;
// Source: RFC 2046, 5.1.1, without characters that would need quoting in an expression.
const BOUNDARY = /;\s*boundary=(?:"([\w'()+,./:=? -]{1,70})"|([\w'()+,./:=?-]{1,70}))\s*(?:;|$)/i;
const LINE_END = "\r\n";

/** The bytes of the part `xml`; a message explains why there are none. */
export function takeXmlPart(body: Uint8Array, contentType: string): Uint8Array | Message {
	const found = BOUNDARY.exec(contentType);
	const boundary = found?.[1] ?? found?.[2];
	if (boundary === undefined) return msg`the Content-Type names no boundary`;
	const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
	const opening = `--${boundary}${LINE_END}`;
	const start = bytes.subarray(0, opening.length).equals(Buffer.from(opening)) ? 0 : bytes.indexOf(LINE_END + opening);
	if (start < 0) return msg`the body has no part`;
	const headersFrom = bytes.indexOf(opening, start) + opening.length;
	const headersTo = bytes.indexOf(LINE_END + LINE_END, headersFrom);
	if (headersTo < 0 || headersTo - headersFrom > HEADER_BYTES_MAX) return msg`the headers of the part do not end`;
	const contentFrom = headersTo + 2 * LINE_END.length;
	const delimiter = `${LINE_END}--${boundary}`;
	const contentTo = bytes.indexOf(delimiter, contentFrom);
	if (contentTo < 0) return msg`the body does not end with its boundary`;
	const after = contentTo + delimiter.length;
	if (bytes.toString("latin1", after, after + 2) !== "--") return msg`the body has more than one part`;
	if (bytes.toString("latin1", after + 2).trim() !== "") return msg`data follows the end of the body`;
	if (readName(bytes.toString("latin1", headersFrom, headersTo)) !== "xml") return msg`the part is not called xml`;
	return new Uint8Array(bytes.subarray(contentFrom, contentTo));
}

/** The name of a part; undefined if its disposition names none or several. */
function readName(headers: string): string | undefined {
	const dispositions = headers.split(LINE_END).filter((line) => /^content-disposition\s*:/i.test(line));
	if (dispositions.length !== 1) return undefined;
	const names = [...(dispositions[0] ?? "").matchAll(/;\s*name=(?:"([^"]*)"|([^\s;"]+))/gi)];
	return names.length === 1 ? (names[0]?.[1] ?? names[0]?.[2]) : undefined;
}

export type ReceptionLimit = {
	/** Does the work if there is room for it. `caller` is an address or a tenant. Throws: service-unavailable. */
	readonly run: <Result>(caller: string, work: () => Promise<Result>) => Promise<Result>;
};

/**
 * Limits how much is received at a time, including bodies that are still arriving. One caller gets at most half of the places. Excess requests
 * are refused with a time to retry.
 */
export function createReceptionLimit(max: number): ReceptionLimit {
	const semaphore = createKeyedSemaphore({ max, maxPerKey: Math.max(1, Math.floor(max / 2)) });
	return {
		async run(caller, work) {
			const leave = semaphore.tryAcquire(caller);
			if (!leave) {
				const detail = msg`Too many documents are being received.`;
				throw new Problem("service-unavailable", { detail, headers: { "retry-after": "2" } });
			}
			try {
				return await work();
			} finally {
				leave();
			}
		},
	};
}
