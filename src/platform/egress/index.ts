/** Requests to addresses that tenants choose: where they may go, and one safe way to send them. */
export { checkOutboundUrl, type EgressPolicy } from "./check-url";
export { classifyAddress, parseAddress } from "./classify-address";
export { type Resolve, resolveAt } from "./find-address";
export { type KeepLimits, keepConnections } from "./kept-connections";
export { getOnce, type PostError, type PostOptions, type PostResult, postOnce } from "./post-once";
