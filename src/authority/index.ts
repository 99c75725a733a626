/** The only folder that speaks the tax authority's protocol. */
export type { AuthorityUrls, ServiceName } from "./address";
export type { ApprovalAnswer } from "./approval-answer";
export type { CallReport, RawAnswer, Recorder } from "./calls";
export {
	type Authority,
	type AuthorityOptions,
	type DocumentNumber,
	openAuthority,
	type SignedDocument,
} from "./client";
export { type Explanation, explainAll, explainCode } from "./codes/explain-code";
export { chooseLanguage, type Language } from "./codes/language";
export { type Fix, listFixes } from "./codes/list-fixes";
export { authorityRoutes } from "./codes/routes";
export { CONTINGENCY_SECONDS } from "./contingency";
export { type DeclaredService, type DeclaredStatus, openStatusHost, type StatusHost } from "./declared/status-host";
export type { MaintenanceWindow } from "./declared/windows";
export { type AuthorityFault, tellsOutage, wasCalled } from "./fault";
export type { AuthorityMessage } from "./messages";
export { fileNameOf, wrapFile } from "./multipart";
export { createPace, FAILURES_TO_SHUT, type Pace } from "./pace";
export { openProbe, type Probe } from "./probe";
export { consumerQrUrl, ecfQrUrl, type QrDocument } from "./qr-url";
export { decodeBody, readAnswer } from "./read-answer";
export type { Listing, Receiver } from "./receiver";
export type { Refused } from "./refusal";
export type { Reply, Unavailable } from "./reply";
export { checkBusinessRules } from "./rules/check-rules";
export type { OriginalDocument } from "./rules/rule";
export { AUTHORITY_ENVIRONMENTS, type AuthorityEnvironment, type Segment, toSegment } from "./segment";
export { createSession, type Session, type Who } from "./session";
export { type Signatory, toWho } from "./signatory";
export type { Standing } from "./standing";
export type { Submission } from "./submission";
export type { TrackIdEntry, TrackIds } from "./track-ids";
export type { Accepted, Rejected, Verdict } from "./verdict";
export type { VoidAnswer } from "./void-answer";
export type { ServiceCall, Wire, WireReply } from "./wire";
