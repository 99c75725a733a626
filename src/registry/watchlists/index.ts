/** Watchlists: numbers whose changes are sent as events after each run. */
export { leaveWatchlists } from "./erase";
export { createJoinWatchlists, EVENTS_MAX, queueJoin, type WriteWatchEvents } from "./join";
export { watchlistOperations } from "./routes";
