/** How long objects are kept: longer where somebody says so, and until they are removed when their time is over. */
export { type Extension, extendRetention } from "./extend-retention";
export { startArchiveSweeps } from "./schedule";
export { type Doubt, findDoubt, isOver, observe, type Reading, STEADY_DAYS, type Steadiness } from "./steady-clock";
export { type ArchiveSweep, type ArchiveSweepDeps, sweepArchive } from "./sweep-archive";
