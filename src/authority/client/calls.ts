/** What each call to the authority is told to the outside as: one line for the operational status, one raw answer for the archive. */
import type { ServiceName } from "./address";
import type { AuthorityFault } from "./fault";
import type { Segment } from "./segment";

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
