/** The only folder that speaks the tax authority's protocol. */

export type { AuthorityUrls, ServiceName } from "./addresses";
export {
	AUTHORITY_ENVIRONMENTS,
	type AuthorityEnvironment,
	CONTINGENCY_SECONDS,
	type Segment,
	toSegment,
} from "./addresses";
export type { CallReport, RawAnswer, Recorder } from "./call-report";
export { type AuthorityFault, createServiceBreaker, FAILURES_TO_OPEN, isOutage, wasCalled } from "./call-report";
export {
	type Authority,
	type AuthorityOptions,
	createAuthority,
	type Signatory,
	type SignedDocument,
	toCaller,
} from "./client";
export { type ClockSkew, createClockSkew, NO_SKEW, SKEW_MAX_MS } from "./clock-skew";
export type { AuthorityMessage } from "./messages";
export { consumerQrUrl, ecfQrUrl, segmentOfQrUrl } from "./qr-url";
export { decodeBody, readAnswer } from "./read-answer";
export type { Listing, Receiver } from "./receiver";
export { type Caller, createProbe, createSession, type Probe, type Session } from "./session";
export type { MaintenanceWindow } from "./status-host";
export { createStatusHost, type StatusHost } from "./status-host";
export type { TrackIdEntry, TrackIds } from "./track-ids";
export type { Accepted, Rejected, Submission, Verdict } from "./verdict";
export type { VoidAnswer } from "./void-answer";
export type { ServiceCall, WireReply } from "./wire";
export { fileNameOf, wrapFile } from "./wire";
