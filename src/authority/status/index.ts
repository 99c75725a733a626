/** What the tax authority is like: measured by our own calls, declared by itself, judged, told. */
export { isBreakerOpen, isInTheWay, type Road, recordReachability } from "./breaker-store";
export { createCallCounter } from "./count-calls";
export { OVERALL } from "./judge-segment";
export {
	type AuthorityStatus,
	type History,
	openAuthorityStatus,
	type Past,
	type Seen,
	STEP_SECONDS,
	toHistory,
} from "./read-status";
export { PublicAuthorityStatus, STATUS_EXAMPLE, toPublicRecord } from "./record";
export { type AuthorityStatusDeps, authorityStatusOperations, TAG } from "./routes";
export { ownAuthorityOf, STATUSES, type Status } from "./status";
export { sweepAuthorityStatus } from "./store";
export { type AuthorityWatch, type WatchDeps, watchAuthority } from "./watch-authority";
