/** Entity tags and the two conditions that compare them. Source: RFC 9110, sections 8.8.3, 13.1.1 and 13.1.2. */
import { Problem } from "../problem";

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
