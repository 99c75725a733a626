/**
 * Representations: our own documents that stay the same for the life of the process, or for a while, and how they are answered.
 *
 * Texts are compressed for callers that accept it. They contain nothing of a tenant and nothing that a caller sent, so the compressed length reveals
 * nothing. Each coding is made at its first request and kept, with its own ETag. Source: RFC 9110, 8.4 and 12.5.3.
 */

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";
import { memoize } from "../platform/concurrency";
import {
	type Call,
	CODED_BYTES_MIN,
	type Coding,
	chooseCoding,
	headerParameter,
	matchesEtag,
} from "../platform/operation";

export type Representation = {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly headers: Readonly<Record<string, string>>;
	/** The same in a content coding; absent if compression gains nothing. */
	readonly inCoding?: (coding: Coding) => Promise<Representation>;
};

export const CACHE_HEADERS = {
	"Cache-Control": "`no-cache`: revalidate with the ETag.",
	ETag: "Entity tag of the content; each content coding has its own.",
	Vary: "`Accept-Encoding` for texts, which are available as `gzip` and `zstd`.",
} as const;

export const CONDITIONAL = headerParameter(
	"If-None-Match",
	"ETag of an answer that you have. If the content is unchanged, the answer is 304 without a body.",
);

const IS_TEXT = /^text\/|[/+](?:json|xml)\b/;

/** `headers` must include `content-type`; an ETag of the content is added. */
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

/** 200 with the bytes in the caller's preferred coding, or 304 if the caller has them. */
export async function answerRepresentation(call: Call, whole: Representation): Promise<Response> {
	const asked = call.request.headers;
	const coding = whole.inCoding && chooseCoding(asked.get("accept-encoding"));
	const { bytes, headers } = (coding && (await whole.inCoding?.(coding))) || whole;
	if (matchesEtag(asked.get("if-none-match"), headers.etag ?? "")) {
		// A 304 has no content that could be coded or saved.
		const { "content-encoding": _coding, "content-disposition": _name, ...kept } = headers;
		return new Response(null, { status: 304, headers: kept });
	}
	return new Response(bytes, { headers });
}

const ZSTD_LEVEL = 12;

const codeGzip = promisify(gzip);
const codeZstd = promisify(zstdCompress);

/** Runs in the thread pool. The same bytes give the same result in every process. */
export async function encode(bytes: Uint8Array, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
	const coded =
		coding === "gzip"
			? await codeGzip(bytes, { level: constants.Z_BEST_COMPRESSION })
			: await codeZstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
	return new Uint8Array(coded);
}

/** Whether `Accept` ranks JSON above HTML; browsers, a bare `*` and a missing header get HTML. */
export function prefersJson(request: Request): boolean {
	const ranges = (request.headers.get("accept") ?? "").split(",").map((range) => {
		const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
		const quality = parameters.find((parameter) => parameter.startsWith("q="));
		return { type, quality: quality === undefined ? 1 : Number(quality.slice(2)) };
	});
	// The most specific range decides. Source: RFC 9110, 12.5.1.
	const qualityOf = (...types: readonly string[]) =>
		types.flatMap((type) => ranges.find((range) => range.type === type)?.quality ?? [])[0] ?? 0;
	const ofJson = Math.max(qualityOf("application/json", "application/*", "*/*"), qualityOf("application/problem+json"));
	return ofJson > qualityOf("text/html", "text/*", "*/*");
}
