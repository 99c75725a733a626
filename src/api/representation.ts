/**
 * Representations: our own documents that stay the same for the life of the process, or for a while, and how they are answered.
 *
 * Texts are compressed for callers that accept it. They contain nothing of a tenant and nothing that a caller sent, so the compressed length reveals
 * nothing. Each coding is made at its first request and kept, with its own ETag; the text itself is not kept, since it takes five to ten times as
 * much memory. Source: RFC 9110, 8.4 and 12.5.3.
 */

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gunzip, gzip, zstdCompress, zstdDecompress } from "node:zlib";
import {
	type Call,
	CODED_BYTES_MIN,
	type Coding,
	chooseCoding,
	headerParameter,
	matchesEtag,
} from "../platform/operation";

export type Representation = {
	/** Whether it is available in content codings. */
	readonly isCoded: boolean;
	/** Headers of the whole answer. */
	readonly headersIn: (coding: Coding | undefined) => Readonly<Record<string, string>>;
	readonly bytesIn: (coding: Coding | undefined) => Promise<Uint8Array<ArrayBuffer>>;
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
	const isCoded = bytes.length >= CODED_BYTES_MIN && IS_TEXT.test(headers["content-type"] ?? "");
	const vary = [headers.vary, "Accept-Encoding"].filter(Boolean).join(", ");
	return isCoded ? represented({ ...all, vary }, tag, keepCoded(bytes)) : represented(all, undefined, keepWhole(bytes));
}

/** A function of its own: a closure keeps everything that the function around it gives to any closure, such as the text. */
function represented(
	headers: Readonly<Record<string, string>>,
	tag: string | undefined,
	bytesIn: Representation["bytesIn"],
): Representation {
	const headersIn = (coding: Coding | undefined) =>
		coding === undefined ? headers : { ...headers, "content-encoding": coding, etag: `"${tag}-${coding}"` };
	return { isCoded: tag !== undefined, headersIn, bytesIn };
}

const keepWhole = (bytes: Uint8Array<ArrayBuffer>) => async () => bytes;

/** Reads a text in any coding. The text is let go once it is kept in one, from which it is restored. */
function keepCoded(text: Uint8Array<ArrayBuffer> | undefined): Representation["bytesIn"] {
	const kept = new Map<Coding, Promise<Uint8Array<ArrayBuffer>>>();
	const restore = async (): Promise<Uint8Array<ArrayBuffer>> => {
		if (text) return text;
		// The first one succeeded: a failed one is not kept.
		for (const [coding, coded] of kept) return decode(await coded, coding);
		throw new Error("a text was let go before it was kept");
	};
	const code = (coding: Coding): Promise<Uint8Array<ArrayBuffer>> => {
		const coded = restore().then((bytes) => encode(bytes, coding));
		kept.set(coding, coded);
		coded.then(
			() => {
				text = undefined;
			},
			() => kept.delete(coding),
		);
		return coded;
	};
	return async (coding) => {
		if (coding !== undefined) return kept.get(coding) ?? code(coding);
		const bytes = await restore();
		if (kept.size === 0) await code("zstd");
		return bytes;
	};
}

/** 200 with the bytes in the caller's preferred coding, or 304 if the caller has them. */
export async function answerRepresentation(call: Call, whole: Representation): Promise<Response> {
	const asked = call.request.headers;
	const coding = whole.isCoded ? chooseCoding(asked.get("accept-encoding")) : undefined;
	const headers = whole.headersIn(coding);
	if (matchesEtag(asked.get("if-none-match"), headers.etag ?? "")) {
		// A 304 has no content that could be coded or saved.
		const { "content-encoding": _coding, "content-disposition": _name, ...kept } = headers;
		return new Response(null, { status: 304, headers: kept });
	}
	return new Response(await whole.bytesIn(coding), { headers });
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

const decodeGzip = promisify(gunzip);
const decodeZstd = promisify(zstdDecompress);

async function decode(bytes: Uint8Array, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
	return new Uint8Array(await (coding === "gzip" ? decodeGzip(bytes) : decodeZstd(bytes)));
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
