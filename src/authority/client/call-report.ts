/** What is recorded about a call to the authority: faults, one report for the operational status, one raw answer for the archive. */

import { type CircuitBreaker, createCircuitBreaker } from "../../platform/concurrency";
import type { Segment, ServiceName } from "./addresses";

/** One call that ended. Refusals and rejections are answers; `outcome` records only whether the service worked. */
export type CallReport = {
	readonly operation: ServiceName;
	readonly segment: Segment;
	readonly durationMs: number;
	readonly outcome: "ok" | AuthorityFault;
};

/** An answer as it arrived, kept with the document as evidence. Answers of the authentication are never recorded, because they hold tokens. */
export type RawAnswer = {
	readonly operation: ServiceName;
	/** When the whole answer had arrived. */
	readonly at: Date;
	readonly httpStatus: number;
	/** The Content-Type header as sent; empty if absent. */
	readonly mediaType: string;
	/** The decoded body, at most its first 64 KiB. NUL becomes U+FFFD because PostgreSQL texts cannot hold it. */
	readonly body: string;
};

export type Recorder = (answer: RawAnswer) => void;

const BODY_BYTES_MAX = 64 * 1024;

/** The part of a body that is kept: whole characters, at most 64 KiB of UTF-8. */
export function toEvidence(body: string): string {
	// A UTF-16 unit takes at most three bytes, so this body fits whole.
	if (body.length * 3 <= BODY_BYTES_MAX) return body.replaceAll("\0", "\uFFFD");
	const kept = new Uint8Array(BODY_BYTES_MAX);
	const { read } = new TextEncoder().encodeInto(body, kept);
	return body.slice(0, read).replaceAll("\0", "\uFFFD");
}

/**
 * What can go wrong between this service and the authority. These codes are our own and textual, so they never mix with the authority's
 * numeric codes. None of them says anything about a document.
 */
export type AuthorityFault =
	/** No connection: refused, unknown host, no route, untrusted certificate, or not established within the time limit. */
	| "authority-unreachable"
	/** Connected, but no complete answer within the time limit. */
	| "authority-timeout"
	/** The connection broke after bytes may have been written. */
	| "authority-connection-lost"
	/** No token: the seed was refused, or the authority answered 401 to a fresh one. */
	| "authority-auth-failed"
	| "authority-http-5xx"
	/** Another status that decides nothing: a redirect, a 403 of the edge, a 404. */
	| "authority-http-error"
	/** A complete answer that the service never gives. */
	| "authority-answer-unreadable"
	/** A well-formed answer about another document. */
	| "authority-answer-mismatch"
	/** The environment does not offer the service. */
	| "authority-service-absent"
	/** The service asked for a pause, which is respected: no byte was written. */
	| "authority-at-rest"
	/** The authority's clock has not reached the time of the document's signature: no byte was written. */
	| "authority-clock-behind"
	/** The sender lost its right to send: connected, but no byte was written. */
	| "send-withdrawn";

/** A fault and a sentence about it, for logs and for the caller's record. */
export type Failure = {
	readonly fault: AuthorityFault;
	readonly detail: string;
	/** When the call can succeed, if that is known. */
	readonly afterMs?: number;
};

/** Faults that indicate a host that is down, rather than a problem of this call or this certificate. */
const OUTAGES: ReadonlySet<AuthorityFault> = new Set<AuthorityFault>([
	"authority-unreachable",
	"authority-timeout",
	"authority-connection-lost",
	"authority-http-5xx",
	"authority-http-error",
	"authority-answer-unreadable",
]);

/** False for faults of our own making: no call was made, so the fault says nothing about the host. */
export function wasCalled(fault: AuthorityFault): boolean {
	return fault !== "authority-at-rest" && fault !== "authority-clock-behind" && fault !== "send-withdrawn";
}

export function isOutage(fault: AuthorityFault): boolean {
	return OUTAGES.has(fault);
}

/** Shared with the breaker that all processes use to detect an outage (`src/authority/status/breaker-store.ts`). */
export const FAILURES_TO_OPEN = 5;

/**
 * Creates the breaker of one service of the authority.
 * Gap: the authority publishes no rate limit, so only a service that fails is spared.
 */
export function createServiceBreaker(callsMax: number): CircuitBreaker {
	return createCircuitBreaker({ callsMax, failuresToOpen: FAILURES_TO_OPEN, pauseFirstMs: 500, pauseMaxMs: 10_000 });
}
