import { Problem } from "../problem";

/** True when `If-None-Match` names the tag: `*` or a list, compared weakly. Source: RFC 9110, sections 8.8.3.2 and 13.1.2. */
export function matchesEtag(header: string | null, etag: string): boolean {
	if (header === null) return false;
	const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
	return header.split(",").some((tag) => tag.trim() === "*" || opaque(tag) === opaque(etag));
}

/** The entity tag of a resource that counts its versions. */
export function versionTag(version: number): string {
	return `"${version}"`;
}

/**
 * Checks `If-Match`, which may be left out, against the version that is about to be changed. Throws: precondition-failed.
 * Source: RFC 9110, section 13.1.1: compared strongly, so a weak tag never matches.
 */
export function checkIfMatch(request: Request, version: number): void {
	const header = request.headers.get("if-match");
	if (header === null) return;
	const tags = header.split(",").map((tag) => tag.trim());
	if (!tags.includes("*") && !tags.includes(versionTag(version))) throw new Problem("precondition-failed");
}
