import { msg, Problem } from "../problem";
import type { Answer, Call, Person } from "./operation";

/** A JSON answer; the body is serialised once and these bytes are sent. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
	return new Response(JSON.stringify(body), {
		status,
		headers: { "content-type": "application/json; charset=utf-8", ...headers },
	});
}

/** The caller's tenant. An operation that requires a bearer always has one; its absence is a bug. */
export function tenantOf(call: Call): string {
	const tenantId = call.principal?.tenantId;
	if (!tenantId) throw new Error(`operation ${call.operation.id} has no tenant in its principal`);
	return tenantId;
}

/** The caller of an operation that requires a session. */
export function personOf({ principal, operation }: Call): Person {
	if (!principal?.person) throw new Error(`operation ${operation.id} has no person in its principal`);
	return principal.person;
}

/** For data of one caller that may change at any time. */
export const PRIVATE_NO_STORE = { "cache-control": "private, no-store" } as const;

/** Every answer carries it: clients must not guess another type. */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

/** Entity tags and the two conditions that compare them. Source: RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2. */

/**
 * True when `If-None-Match` names the tag: `*`, or a list with weak comparison. A malformed header names nothing, so the caller gets the
 * full answer.
 */
export function matchesEtag(header: string | null, etag: string): boolean {
	if (header === null) return false;
	if (header === etag) return true;
	const tags = readTags(header);
	return tags === "any" || tags.some((tag) => withoutWeakness(tag) === withoutWeakness(etag));
}

export function versionTag(version: number): string {
	return `"${version}"`;
}

/**
 * Checks the optional `If-Match` against the version to be changed: `*`, or a list with strong comparison, so weak tags never match.
 * Throws: precondition-failed, also for a malformed header, so that a typing error never overwrites anything.
 */
export function checkIfMatch(request: Request, version: number): void {
	const header = request.headers.get("if-match");
	if (header === null) return;
	const tags = readTags(header);
	if (tags === "any" || tags.includes(versionTag(version))) return;
	const detail = msg`If-Match contains no entity tag: send the value of \`ETag\` with its quotes.`;
	throw new Problem("precondition-failed", tags.length === 0 ? { detail } : {});
}

const list = /^[ \t,]*(?:(?:W\/)?"[!\x23-\x7e\x80-\uffff]*"(?:[ \t]*(?:,[ \t,]*|$)))+$/;
const tag = /(?:W\/)?"[^"]*"/g;

/** The tags of a condition as they are written; empty for a malformed list. Commas may stand within a tag, and alone. */
function readTags(header: string): "any" | readonly string[] {
	const text = header.trim();
	if (text === "*") return "any";
	return list.test(text) ? (text.match(tag) ?? []) : [];
}

const withoutWeakness = (tag: string) => (tag.startsWith("W/") ? tag.slice(2) : tag);

/** Answers that are files: signed documents, printed documents, evidence. */

type FileHead = {
	readonly name: string;
	readonly mediaType: string;
	readonly headers: { readonly etag: string; readonly "cache-control": string; readonly "repr-digest"?: string };
};

/** For bytes that never change: callers cache them for a day. */
export const UNCHANGING = { "cache-control": "private, max-age=86400, immutable" } as const;
/** For bytes that may change: callers cache them and revalidate each time. */
export const PRIVATE_NO_CACHE = { "cache-control": "private, no-cache" } as const;

/** The tag and the digest of bytes by their SHA-256. Source: RFC 9530. */
export function digestHeaders(sha256: Uint8Array): { readonly etag: string; readonly "repr-digest": string } {
	const digest = Buffer.from(sha256);
	return { etag: `"${digest.toString("hex")}"`, "repr-digest": `sha-256=:${digest.toString("base64")}:` };
}

/** The file as a download; 304, without reading the file, for a caller that has it. */
export async function answerFile(
	call: Call,
	{ name, mediaType, headers }: FileHead,
	read: () => Uint8Array | Promise<Uint8Array>,
): Promise<Response> {
	const isKnown = matchesEtag(call.request.headers.get("if-none-match"), headers.etag);
	// Headers that describe the bytes are omitted with them. Source: RFC 9110, 15.4.5.
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

/** The answer with a signed document, which never changes. */
export const SIGNED_XML: Answer = {
	description: "The signed XML.",
	mediaType: "application/xml",
	headers: {
		ETag: "SHA-256 of the bytes.",
		"Repr-Digest": "RFC 9530.",
		"Content-Disposition": "Suggested file name.",
	},
};
