/** Watchlists: numbers whose changes are sent as events after each run, and by mail. */
export { DIGEST_LINK_PATH } from "./digest-letter";
export { createQueueDigests, createSendDigest, orderDigests } from "./digests";
export { type Counterparties, createFillWatchlist, orderFillings } from "./filling";
export { leaveWatchlists, listWatching, type WatchedBy } from "./holding";
export { createJoinWatchlists, EVENTS_MAX, queueJoin, type WriteWatchEvents } from "./join";
export { packWatched, unpackNumbers } from "./numbers";
export { watchlistOperations } from "./routes";
export { findStop, type Source, setStop, sweepDigests } from "./store";
