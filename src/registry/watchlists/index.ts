/** Watchlists: numbers whose changes are sent as events after each run, and by mail. */
export { DIGEST_LINK_PATH } from "./digest-letter";
export { createQueueDigests, createSendDigest, orderDigests } from "./digests";
export { leaveWatchlists, listWatching, type WatchedBy } from "./holding";
export { createJoinWatchlists, EVENTS_MAX, queueJoin, type WriteWatchEvents } from "./join";
export { unpackNumbers } from "./numbers";
export { watchlistOperations } from "./routes";
export { findStop, setStop, sweepDigests } from "./store";
