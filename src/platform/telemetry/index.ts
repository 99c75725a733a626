/** Logs and metrics; knows nothing of the service. */

export { createKeptShares } from "./kept-shares";
export { createLog, describeError, type Log } from "./log";
export { createMetrics, type Metrics, type MetricsShare, mergeMetrics } from "./metrics";
export { writeLine } from "./output";
