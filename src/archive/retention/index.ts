/** How long objects are kept: longer where somebody says so, and until they are removed when their time is over. */
export { extendRetention } from "./extend-retention";
export { findDoubt, isOver, observe, STEADY_DAYS, type Steadiness } from "./steady-clock";
export { startArchiveSweeps, sweepArchive } from "./sweep-archive";
