/** Answers that are files: signed documents, papers, evidence. */
import { NO_SNIFFING } from "./answer";
import { matchesEtag } from "./etag";
import type { Call } from "./operation";

type FileHead = {
	readonly name: string;
	readonly mediaType: string;
	readonly headers: { readonly etag: string; readonly "cache-control": string; readonly "repr-digest"?: string };
};

/** For bytes that never change: callers keep them for a day without asking. */
export const UNCHANGING = { "cache-control": "private, max-age=86400, immutable" } as const;
/** For bytes that may be others tomorrow: callers keep them, and ask each time. */
export const ASKED_EACH_TIME = { "cache-control": "private, no-cache" } as const;

/** The tag and the digest of bytes by their SHA-256. Source: RFC 9530. */
export function digestHeaders(sha256: Uint8Array): { readonly etag: string; readonly "repr-digest": string } {
	const digest = Buffer.from(sha256);
	return { etag: `"${digest.toString("hex")}"`, "repr-digest": `sha-256=:${digest.toString("base64")}:` };
}

/** The file to be saved under its name; 304, and nothing is read, for who has it. */
export async function answerFile(
	call: Call,
	{ name, mediaType, headers }: FileHead,
	read: () => Uint8Array | Promise<Uint8Array>,
): Promise<Response> {
	const isKnown = matchesEtag(call.request.headers.get("if-none-match"), headers.etag);
	// What is said of bytes is left out with them. Source: RFC 9110, 15.4.5.
	const { "repr-digest": _, ...kept } = headers;
	if (isKnown) return new Response(null, { status: 304, headers: kept });
	return new Response((await read()) as Uint8Array<ArrayBuffer>, {
		headers: {
			...headers,
			"content-type": mediaType,
			"content-disposition": `attachment; filename="${name}"`,
			...NO_SNIFFING,
		},
	});
}

export const XML_TYPE = "application/xml; charset=utf-8";
