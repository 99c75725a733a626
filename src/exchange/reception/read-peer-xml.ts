import { Type } from "@sinclair/typebox";
import { withTimeout } from "../../platform/concurrency";
import { type BodyRule, type Call, readBytes } from "../../platform/operation";
import { Problem } from "../../platform/problem";
import { OUTSIDE_LIMITS } from "../../platform/xml";
import { takeXmlPart } from "./multipart";

/** A document as large as the verifier takes, and what stands around it. */
const BODY_BYTES_MAX = OUTSIDE_LIMITS.bytesMax + 16 * 1024;

const BODY_TIMEOUT_MS = 15_000;

/** The body that every service of a peer takes; `example` is the document. */
export function peerBody(description: string, example: string): BodyRule {
	return {
		schema: Type.Object({ xml: Type.String({ contentMediaType: "application/xml", description }) }),
		limitBytes: BODY_BYTES_MAX,
		required: true,
		mediaTypes: ["multipart/form-data"],
		example: { xml: example },
	};
}

/**
 * The bytes of the part `xml` of a peer's request, as they came; nothing is believed of them yet.
 * Throws: payload-too-large, unsupported-media-type, malformed-json (a body cut off), validation-error, also for a body that does not come.
 */
export async function readPeerXml(call: Call): Promise<Uint8Array> {
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
