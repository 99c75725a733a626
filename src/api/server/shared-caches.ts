/**
 * Headers for shared caches in front of the service, with `CDN=on`. A cache replays an answer to other callers, so a cacheable answer loses
 * what belongs to one caller: the request's id and the state of its limits. It gains tags, by which an operator may remove copies early.
 *
 *   surrogate-key, cache-tag   registry run-RUN doc-DIGEST    separated by spaces (Fastly, Varnish) and by commas (Cloudflare, Akamai)
 *   cdn-cache-control          max-age=300                    the same time as for every other cache. Source: RFC 9213.
 *
 * DIGEST is the start of the SHA-256 of the number's digits, in hex, so `sha256sum` finds the tag of a number.
 */

const CALLER_HEADERS = ["x-request-id", "ratelimit", "ratelimit-policy"] as const;
const DIGEST_LENGTH = 16;

/** Whether shared caches may keep the answer. */
export function isSharable(headers: Headers): boolean {
	return headers.get("cache-control")?.startsWith("public") === true;
}

/** Changes the headers of a sharable answer. `document` is the number in the path as it was sent, for an answer with one entry. */
export function shareHeaders(headers: Headers, document: string | undefined): void {
	for (const name of CALLER_HEADERS) headers.delete(name);
	const [, maxAge] = /max-age=(\d+)/.exec(headers.get("cache-control") ?? "") ?? [];
	if (maxAge !== undefined) headers.set("cdn-cache-control", `max-age=${maxAge}`);
	const runId = headers.get("x-registry-run-id");
	if (runId === null) return;
	const tags = ["registry", `run-${runId}`, ...(document === undefined ? [] : [tagOf(document)])];
	headers.set("surrogate-key", tags.join(" "));
	headers.set("cache-tag", tags.join(","));
}

function tagOf(document: string): string {
	return `doc-${Bun.SHA256.hash(document.replaceAll("-", ""), "hex").slice(0, DIGEST_LENGTH)}`;
}
