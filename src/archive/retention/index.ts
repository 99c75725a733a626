/** Retention: extending it, and removing objects after it. */
export { extendRetention } from "./extend-retention";
export { findDoubt, isOver, observe, STEADY_DAYS, type Steadiness } from "./steady-clock";
export { startArchiveSweeps, sweepArchive } from "./sweep-archive";
