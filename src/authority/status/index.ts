/** The state of the tax authority: measured by our calls, declared by the authority, judged, and reported. */
export { type Channel, isBreakerOpen, isNeededToSubmit, recordReachability } from "./breaker-store";
export { startCallCounter } from "./count-calls";
export { OVERALL } from "./judge-segment";
export {
	type AuthorityStatus,
	type CurrentStatus,
	createAuthorityStatus,
	type History,
	STEP_SECONDS,
	type StatusChanges,
	toHistory,
} from "./read-status";
export {
	AuthorityStatusRecord,
	authorityStatusOperations,
	PublicAuthorityStatus,
	STATUS_EXAMPLE,
	TAG,
	toPublicRecord,
} from "./routes";
export { ownAuthorityOf, STATUSES, type Status } from "./status";
export { sweepAuthorityStatus } from "./store";
export { type AuthorityWatch, type AuthorityWatchOptions, startStatusWatch } from "./watch-authority";
