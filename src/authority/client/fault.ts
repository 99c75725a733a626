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

export function tellsOutage(fault: AuthorityFault): boolean {
	return OUTAGES.has(fault);
}
