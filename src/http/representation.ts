/** Documents of our own that never change while the process lives: their bytes, and how they are answered. */
import { createHash } from "node:crypto";
import { type Call, matchesEtag } from "../operation";

export type Representation = {
	readonly bytes: Uint8Array<ArrayBuffer>;
	readonly headers: Readonly<Record<string, string>>;
};

/** What an operation that answers with one declares. */
export const CACHE_HEADERS = {
	"Cache-Control": "`no-cache`: ask again with the ETag.",
	ETag: "Of the content.",
} as const;

/** Takes a text or bytes with their `content-type` and further headers; adds an ETag of the content. */
export function represent(
	content: string | Uint8Array<ArrayBuffer>,
	headers: Readonly<Record<string, string>>,
): Representation {
	const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
	const etag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
	return { bytes, headers: { "cache-control": "no-cache", ...headers, etag } };
}

/** 200 with the bytes, or 304 when the caller has them. */
export function answerRepresentation(call: Call, { bytes, headers }: Representation): Response {
	if (matchesEtag(call.request.headers.get("if-none-match"), headers.etag ?? "")) {
		return new Response(null, { status: 304, headers });
	}
	return new Response(bytes, { headers });
}

/** Runs the work at the first call and gives its result to all; a failed attempt is not kept. */
export function onDemand<T>(make: () => Promise<T>): () => Promise<T> {
	let made: Promise<T> | undefined;
	return () => {
		made ??= make().catch((error) => {
			made = undefined;
			throw error;
		});
		return made;
	};
}
