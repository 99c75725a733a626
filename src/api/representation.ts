/**
 * Documents of our own that never change while the process lives, or for a while: their bytes, and how they are answered.
 *
 * Texts go compressed to callers that take it. Only these do: they hold nothing of a tenant and nothing that a caller sent, so the length of
 * the compressed text tells nobody anything. Each coding is made at its first request and kept, under an ETag of its own.
 */

import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { constants, gzip, zstdCompress } from "node:zlib";
import { Type } from "@sinclair/typebox";
import { memoize } from "../platform/concurrency";
import { type Call, matchesEtag, type Parameter } from "../platform/operation";

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

/** Compression of what we answer: which coding a caller takes, and the bytes in it. Source: RFC 9110, 8.4 and 12.5.3. */

export type Coding = "zstd" | "gzip";

/** The better one first. */
const CODINGS: readonly Coding[] = ["zstd", "gzip"];
const ZSTD_LEVEL = 12;

const codeGzip = promisify(gzip);
const codeZstd = promisify(zstdCompress);

/** Off the thread that answers. The same bytes give the same result in every process. */
export async function encode(bytes: Uint8Array, coding: Coding): Promise<Uint8Array<ArrayBuffer>> {
	const coded =
		coding === "gzip"
			? await codeGzip(bytes, { level: constants.Z_BEST_COMPRESSION })
			: await codeZstd(bytes, { params: { [constants.ZSTD_c_compressionLevel]: ZSTD_LEVEL } });
	return new Uint8Array(coded);
}

/** The coding that the caller likes best; undefined for none, which is also the answer to whoever takes nothing that we have. */
export function chooseCoding(acceptEncoding: string | null): Coding | undefined {
	if (acceptEncoding === null) return undefined;
	const weights = readWeights(acceptEncoding);
	const any = weights.get("*") ?? 0;
	const weightOf = (coding: Coding) =>
		weights.get(coding) ?? (coding === "gzip" ? weights.get("x-gzip") : undefined) ?? any;
	const [best] = CODINGS.toSorted((a, b) => weightOf(b) - weightOf(a));
	// Bytes as they are come last, unless the caller says otherwise.
	return best !== undefined && weightOf(best) > 0 && weightOf(best) >= (weights.get("identity") ?? 0)
		? best
		: undefined;
}

/** By name in lower case, 0 to 1; what is not written as the standard says is passed over. */
function readWeights(header: string): ReadonlyMap<string, number> {
	return new Map(
		header.split(",").flatMap((part): [string, number][] => {
			const match = /^([!#$%&'*+.^_`|~\w-]+)(?:[ \t]*;[ \t]*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?))?$/i.exec(part.trim());
			return match ? [[(match[1] ?? "").toLowerCase(), Number(match[2] ?? 1)]] : [];
		}),
	);
}

/** Which form of a page its caller wants. */

/** Whether `Accept` ranks JSON above HTML; a browser, a bare `*` and no header at all get the page. */
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
