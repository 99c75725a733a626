/** Watchlists: numbers whose changes are sent as events after each run. */
export { leaveWatchlists, listWatching, type WatchedBy } from "./holding";
export { createJoinWatchlists, EVENTS_MAX, queueJoin, type WriteWatchEvents } from "./join";
export { unpackNumbers } from "./numbers";
export { watchlistOperations } from "./routes";
