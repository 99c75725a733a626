/** True when `If-None-Match` names the tag: `*` or a list, compared weakly. Source: RFC 9110, sections 8.8.3.2 and 13.1.2. */
export function matchesEtag(header: string | null, etag: string): boolean {
	if (header === null) return false;
	const opaque = (tag: string) => tag.trim().replace(/^W\//, "");
	return header.split(",").some((tag) => tag.trim() === "*" || opaque(tag) === opaque(etag));
}
