/** Requests to addresses that tenants choose: where they may go, and one safe way to send them. */
export { checkOutboundUrl, type EgressPolicy, type UrlRefusal } from "./check-url";
export { type AddressClass, classifyAddress, parseAddress } from "./classify-address";
export type { Resolve } from "./find-address";
export { type KeepLimits, type KeptConnections, keepConnections } from "./kept-connections";
export type { PostError } from "./post-error";
export { type GetOptions, getOnce, type PostOptions, type PostResult, postOnce } from "./post-once";
export { resolveAt } from "./resolve-at";
