/** For how long a service that refuses work has asked to be left alone. */
import type { IncomingHttpHeaders } from "node:http";

/** More is not believed: a header must not keep documents from the authority for hours. */
const PAUSE_MAX_MS = 300_000;

/**
 * Milliseconds from now on; undefined when the answer asks for nothing. A date is compared with the answer's own, so that a clock which is wrong does
 * no harm. Source: RFC 9110, 10.2.3; RFC 6585, 4.
 */
export function readRetryAfter(status: number, headers: IncomingHttpHeaders, nowMs: number): number | undefined {
	const text = headers["retry-after"]?.trim();
	if ((status !== 429 && status !== 503) || text === undefined) return undefined;
	const answeredAtMs = Date.parse(headers.date ?? "");
	const pauseMs = /^\d+$/.test(text)
		? Number(text) * 1000
		: Date.parse(text) - (Number.isNaN(answeredAtMs) ? nowMs : answeredAtMs);
	return pauseMs > 0 ? Math.min(PAUSE_MAX_MS, pauseMs) : undefined;
}
