/** What each call to the authority is told to the outside as: one line for the operational status, one raw answer for the archive. */
import type { Segment, ServiceName } from "./addresses";

/** One call that ended. The authority's refusals and rejections are answers: only `outcome` "ok" and faults of the service count. */
export type CallReport = {
	readonly operation: ServiceName;
	readonly segment: Segment;
	readonly durationMs: number;
	readonly outcome: "ok" | AuthorityFault;
};

/** An answer as it came: evidence, kept with the document. Answers of the authentication are never told; they hold tokens. */
export type RawAnswer = {
	readonly operation: ServiceName;
	/** When the whole answer was there. */
	readonly at: Date;
	readonly httpStatus: number;
	/** The Content-Type header as sent; empty without one. */
	readonly mediaType: string;
	/** The body decoded, its first 64 KiB; NUL, which a PostgreSQL text cannot hold, is written U+FFFD. */
	readonly body: string;
};

export type Recorder = (answer: RawAnswer) => void;

const BODY_BYTES_MAX = 64 * 1024;

/** The part of a body that is kept: whole characters, at most 64 KiB of UTF-8. */
export function toEvidence(body: string): string {
	// No character takes more than three bytes for each of its units, so this one is whole.
	if (body.length * 3 <= BODY_BYTES_MAX) return body.replaceAll("\0", "\uFFFD");
	const kept = new Uint8Array(BODY_BYTES_MAX);
	const { read } = new TextEncoder().encodeInto(body, kept);
	return body.slice(0, read).replaceAll("\0", "\uFFFD");
}

/**
 * What can go wrong between us and the authority. These words are ours and textual: they never mix with the authority's own
 * numeric codes, and none of them says anything about a document.
 */
export type AuthorityFault =
	/** No connection: refused, no such name, no route, untrusted certificate, or not made within the time limit. */
	| "authority-unreachable"
	/** Connected, but the whole answer did not come within the time limit. */
	| "authority-timeout"
	/** The connection broke after bytes may have been written. */
	| "authority-connection-lost"
	/** No token: the seed was refused, or the authority answered 401 to a fresh one. */
	| "authority-auth-failed"
	| "authority-http-5xx"
	/** Another status that decides nothing: a redirect, the edge's 403, a 404. */
	| "authority-http-error"
	/** The answer came whole, but is not one that the service gives. */
	| "authority-answer-unreadable"
	/** The answer is well formed, but speaks of another document. */
	| "authority-answer-mismatch"
	/** The environment does not have the service. */
	| "authority-service-absent"
	/** The service has asked to be left alone, and is: not a byte written. */
	| "authority-at-rest"
	/** Whoever was to send it may not any more: connected, and not a byte written. */
	| "send-withdrawn";

/** A fault and a sentence about it, for logs and for the caller's record. */
export type Failure = { readonly fault: AuthorityFault; readonly detail: string };

/** Faults that tell of a host that is down, and not of this call or this certificate. */
const OUTAGES: ReadonlySet<AuthorityFault> = new Set<AuthorityFault>([
	"authority-unreachable",
	"authority-timeout",
	"authority-connection-lost",
	"authority-http-5xx",
	"authority-http-error",
	"authority-answer-unreadable",
]);

/** Faults that are our own doing: the call was not made, and tells nothing of the host. */
export function wasCalled(fault: AuthorityFault): boolean {
	return fault !== "authority-at-rest" && fault !== "send-withdrawn";
}

export function isOutage(fault: AuthorityFault): boolean {
	return OUTAGES.has(fault);
}
