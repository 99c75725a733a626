/**
 * Documents of our own that never change while the process lives, or for a while: their bytes, and how they are answered.
 *
 * Texts go compressed to callers that take it. Only these do: they hold nothing of a tenant and nothing that a caller sent, so the length of
 * the compressed text tells nobody anything. Each coding is made at its first request and kept, under an ETag of its own.
 */

import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { memoize } from "../../platform/concurrency";
import { type Call, matchesEtag, type Parameter } from "../../platform/operation";
import { type Coding, chooseCoding, encode } from "./content-coding";

export type Representation = {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly headers: Readonly<Record<string, string>>;
	/** The same in a coding; absent for what compression does not make shorter. */
	readonly inCoding?: (coding: Coding) => Promise<Representation>;
};

/** What an operation that answers with one declares. */
export const CACHE_HEADERS = {
	"Cache-Control": "`no-cache`: ask again with the ETag.",
	ETag: "Of the content, another one for each coding.",
	Vary: "`Accept-Encoding`, of texts: `gzip` and `zstd` are known.",
} as const;

/** What an operation that answers with one takes. */
export const CONDITIONAL: Parameter = {
	name: "If-None-Match",
	in: "header",
	required: false,
	description: "ETag of an answer that you have: 304 without a body while nothing has changed.",
	schema: Type.String(),
};

/** Shorter ones fit into one packet as they are. */
const CODED_BYTES_MIN = 1_024;
const IS_TEXT = /^text\/|[/+](?:json|xml)\b/;

/** Takes a text or bytes with their `content-type` and further headers; adds an ETag of the content. */
export function represent(
	content: string | Uint8Array<ArrayBuffer>,
	headers: Readonly<Record<string, string>>,
): Representation {
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	const tag = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
	const all = { "cache-control": "no-cache", ...headers, etag: `"${tag}"` };
	if (bytes.length < CODED_BYTES_MIN || !IS_TEXT.test(headers["content-type"] ?? "")) return { bytes, headers: all };
	const varied = { ...all, vary: [headers.vary, "Accept-Encoding"].filter(Boolean).join(", ") };
	const coded = (coding: Coding) =>
		memoize(async () => ({
			bytes: await encode(bytes, coding),
			headers: { ...varied, "content-encoding": coding, etag: `"${tag}-${coding}"` },
		}));
	const made = { zstd: coded("zstd"), gzip: coded("gzip") };
	return { bytes, headers: varied, inCoding: (coding) => made[coding]() };
}

/** 200 with the bytes in the coding that the caller likes best, or 304 when it has these. */
export async function answerRepresentation(call: Call, whole: Representation): Promise<Response> {
	const asked = call.request.headers;
	const coding = whole.inCoding && chooseCoding(asked.get("accept-encoding"));
	const { bytes, headers } = (coding && (await whole.inCoding?.(coding))) || whole;
	if (matchesEtag(asked.get("if-none-match"), headers.etag ?? "")) {
		// There is nothing that could be coded or saved.
		const { "content-encoding": _coding, "content-disposition": _name, ...kept } = headers;
		return new Response(null, { status: 304, headers: kept });
	}
	return new Response(bytes, { headers });
}
