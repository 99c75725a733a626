/** What the tax authority is like: measured by our own calls, declared by itself, judged, told. */
export { isBreakerOpen, isInTheWay, type Road, recordReachability } from "./breaker-store";
export { createCallCounter } from "./count-calls";
export { type History, STEP_SECONDS, toHistory } from "./history";
export { OVERALL } from "./judge-segment";
export { ownAuthorityOf } from "./own-authority";
export { type AuthorityStatus, openAuthorityStatus, type Past, type Seen } from "./read-status";
export { PublicAuthorityStatus, STATUS_EXAMPLE, toPublicRecord } from "./record";
export { type AuthorityStatusDeps, authorityStatusOperations, TAG } from "./routes";
export { STATUSES, type Status } from "./status";
export { sweepAuthorityStatus } from "./store";
export { type AuthorityWatch, type WatchDeps, watchAuthority } from "./watch-authority";
