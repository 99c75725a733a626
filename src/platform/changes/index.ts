/** Changes that other processes must learn of: written with the change, and read by every process four times a second. */
export { type Change, type ChangeFeed, openChangeFeed } from "./feed";
export { announce, sweepChanges } from "./store";
