import { Problem } from "../problem";
import type { Call } from "./operation";

/** A JSON answer; the body is serialised once and its bytes are what is sent. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
	return new Response(JSON.stringify(body), {
		status,
		headers: { "content-type": "application/json; charset=utf-8", ...headers },
	});
}

/** The caller's tenant. An operation that needs a bearer always has one; its absence is a defect of ours. */
export function tenantOf(call: Call): string {
	const tenantId = call.principal?.tenantId;
	if (!tenantId) throw new Error(`operation ${call.operation.id} has no tenant in its principal`);
	return tenantId;
}

/** What belongs to one caller, and may change while it is sent. */
export const PRIVATE_NO_STORE = { "cache-control": "private, no-store" } as const;

/** Every answer carries it: what is sent is what its type says. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

/** Entity tags and the two conditions that compare them. Source: RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2. */

/**
 * True when `If-None-Match` names the tag: `*`, or a list compared weakly. A header that is no list of quoted tags names nothing, so the
 * caller gets the answer whole.
 */
export function matchesEtag(header: string | null, etag: string): boolean {
	if (header === null) return false;
	if (header === etag) return true;
	const tags = readTags(header);
	return tags === "any" || tags.some((tag) => withoutWeakness(tag) === withoutWeakness(etag));
}

/** The entity tag of a resource that counts its versions. */
export function versionTag(version: number): string {
	return `"${version}"`;
}

/**
 * Checks `If-Match`, which may be left out, against the version that is about to be changed: `*`, or a list compared strongly, so that a
 * weak tag never matches. Throws: precondition-failed, also for a header that is no list of quoted tags, since a write must not be lost to a typing error.
 */
export function checkIfMatch(request: Request, version: number): void {
	const header = request.headers.get("if-match");
	if (header === null) return;
	const tags = readTags(header);
	if (tags === "any" || tags.includes(versionTag(version))) return;
	const detail = "If-Match holds no entity tag: send `ETag` as it was told, with its quotes.";
	throw new Problem("precondition-failed", tags.length === 0 ? { detail } : {});
}

const list = /^[ \t,]*(?:(?:W\/)?"[!\x23-\x7e\x80-\uffff]*"(?:[ \t]*(?:,[ \t,]*|$)))+$/;
const tag = /(?:W\/)?"[^"]*"/g;

/** The tags of a condition as they are written; empty for what is no list of them. Commas may stand within a tag, and alone. */
function readTags(header: string): "any" | readonly string[] {
	const text = header.trim();
	if (text === "*") return "any";
	return list.test(text) ? (text.match(tag) ?? []) : [];
}

const withoutWeakness = (tag: string) => (tag.startsWith("W/") ? tag.slice(2) : tag);

/** Answers that are files: signed documents, papers, evidence. */

type FileHead = {
	readonly name: string;
	readonly mediaType: string;
	readonly headers: { readonly etag: string; readonly "cache-control": string; readonly "repr-digest"?: string };
};

/** For bytes that never change: callers keep them for a day without asking. */
export const UNCHANGING = { "cache-control": "private, max-age=86400, immutable" } as const;
/** For bytes that may be others tomorrow: callers keep them, and ask each time. */
export const PRIVATE_NO_CACHE = { "cache-control": "private, no-cache" } as const;

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
