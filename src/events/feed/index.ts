/** The event feed: all events of a company in one order without gaps. */

export { STREAMS_MAX } from "./answer";
export { feedOperations } from "./routes";
export { sweepEvents } from "./store";
