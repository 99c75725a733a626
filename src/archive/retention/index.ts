/** Retention: extending it, and removing objects after it. */
export { extendRetention } from "./extend-retention";
export { findDoubt, isOver, observe, STEADY_DAYS, type Steadiness } from "./steady-clock";
export { dropOldMonths, startArchiveSweeps, sweepArchive } from "./sweep-archive";
