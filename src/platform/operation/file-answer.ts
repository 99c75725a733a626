/** Answers with a file whose size and digest are known, or with a part of it. */
import { Problem } from "../problem";
import { matchesEtag } from "./answer";
import type { Call } from "./operation";

/** A file that does not change as long as its digest does not. */
export type StoredFile = {
	readonly path: string;
	readonly bytes: number;
	/** In hex; it is the strong ETag too. */
	readonly sha256: string;
	/** With `content-type` and `cache-control`. */
	readonly headers: Readonly<Record<string, string>>;
};

/**
 * Answers 200 with the file, 206 with the part that `Range` names, or 304 if the caller has it. Throws: range-not-satisfiable. Source: RFC
 * 9110, 13 and 14; RFC 9530.
 */
export function answerStoredFile(call: Call, { path, bytes, sha256, headers: given }: StoredFile): Response {
	const { headers } = call.request;
	const etag = `"${sha256}"`;
	// Precedes ranges: a caller that has the file needs no part of it. Source: RFC 9110, 13.2.2.
	if (matchesEtag(headers.get("if-none-match"), etag)) {
		return new Response(null, {
			status: 304,
			headers: { "cache-control": given["cache-control"] ?? "no-cache", etag },
		});
	}
	const condition = headers.get("if-range");
	// Only GET has ranges. Source: RFC 9110, 14.2.
	const isOfPart = call.request.method === "GET" && (condition === null || condition === etag);
	const part = readRange(isOfPart ? headers.get("range") : null, bytes);
	if (part === "none") throw new Problem("range-not-satisfiable", { headers: { "content-range": `bytes */${bytes}` } });
	const about = {
		...given,
		"accept-ranges": "bytes",
		etag,
		"repr-digest": `sha-256=:${Buffer.from(sha256, "hex").toString("base64")}:`,
	};
	const file = Bun.file(path);
	if (part === "whole") return new Response(file, { headers: { ...about, "content-length": String(bytes) } });
	const { first, last } = part;
	return new Response(file.slice(first, last + 1), {
		status: 206,
		headers: {
			...about,
			"content-range": `bytes ${first}-${last}/${bytes}`,
			"content-length": String(last + 1 - first),
		},
	});
}

export type Part = { readonly first: number; readonly last: number };

/**
 * Accepts any letter case, blanks, and numbers of any length. The runtime parses the header again when it answers with a file, and its refusal
 * would not be a problem document.
 */
const BYTE_RANGE = /^bytes[ \t]*=[ \t]*(\d*)[ \t]*-[ \t]*(\d*)$/i;

/**
 * The part that a `Range` header names. `whole` if the header is absent, malformed or names several parts. `none` if the file has no byte of it.
 * Source: RFC 9110, 14.1.2 and 14.2.
 */
export function readRange(header: string | null, sizeBytes: number): Part | "whole" | "none" {
	const [, first = "", last = ""] = BYTE_RANGE.exec(header?.trim() ?? "") ?? [];
	if (first === "" && last === "") return "whole";
	if (first === "") {
		const suffixBytes = Number(last);
		return suffixBytes === 0 ? "none" : { first: Math.max(0, sizeBytes - suffixBytes), last: sizeBytes - 1 };
	}
	if (last !== "" && Number(last) < Number(first)) return "whole";
	if (Number(first) >= sizeBytes) return "none";
	return { first: Number(first), last: last === "" ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1) };
}
